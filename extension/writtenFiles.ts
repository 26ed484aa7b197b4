/**
 * What the person has written in the chat and not sent, on disk. Several windows may share the folder (windows without
 * a folder do, and two that reach one machine from afar), so that each page has files of its own, by the id that VS
 * Code keeps for it.
 *
 * Invariants: (1) no window writes the files of another that lives, or reads them; (2) what a window has left that went
 * without VS Code keeping its page's id is taken over by the next page without files of its own, by one only.
 */
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { WrittenPart, WrittenParts } from '../webview/bridgeProtocol';
import { KeptFile } from './keptFile';

/** Pages whose words are kept; those of the pages that were opened longest ago go. */
const MOST_PAGES = 64;
/** In the folder of a page: the window that has it open, or had it last. */
const OWNER = 'owner';

export class WrittenFiles {
  private files: Readonly<Record<WrittenPart, KeptFile>> | undefined;

  constructor(
    private readonly root: string,
    /** This window: the process of its extensions, and the machine that it runs on. */
    private readonly owner = `${process.pid} ${hostname()}`,
  ) {}

  /** What is kept for this page, whose files are written from now on. `page` is the page's word. */
  async open(page: string): Promise<WrittenParts> {
    await this.kept();
    const id = page.replace(/[^\w-]/g, '').slice(0, 64) || 'page';
    const folder = join(this.root, id);
    await this.claim(id, folder).catch(() => undefined);
    this.files = {
      texts: new KeptFile(join(folder, 'texts.json')),
      pictures: new KeptFile(join(folder, 'pictures.json')),
    };
    return this.kept();
  }

  set(part: WrittenPart, value: unknown): void {
    void this.files?.[part].set(value);
  }

  /** What is kept, once all of it is on disk. */
  async kept(): Promise<WrittenParts> {
    return { texts: await this.files?.texts.get(), pictures: await this.files?.pictures.get() };
  }

  private async claim(id: string, folder: string): Promise<void> {
    await mkdir(this.root, { recursive: true });
    const pages = await this.newestFirst();
    if (!pages.includes(id)) await this.takeOver(pages, folder);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, OWNER), this.owner);
    for (const old of pages.slice(MOST_PAGES)) {
      if (old !== id) await rm(join(this.root, old), { recursive: true, force: true });
    }
  }

  /** A folder is renamed by one window only. */
  private async takeOver(pages: readonly string[], folder: string): Promise<void> {
    for (const page of pages) {
      const left = join(this.root, page);
      const owner = await readFile(join(left, OWNER), 'utf8').catch(() => undefined);
      if (owner === undefined || (owner !== this.owner && !isGone(owner))) continue;
      const isTaken = await rename(left, folder).then(
        () => true,
        () => false,
      );
      if (isTaken) return;
    }
  }

  /** The ids of the pages, by when each was opened. */
  private async newestFirst(): Promise<readonly string[]> {
    const opened = await Promise.all(
      (await readdir(this.root)).map(async (page) => {
        const file = await stat(join(this.root, page, OWNER)).catch(() => undefined);
        return { page, at: file?.mtimeMs ?? 0 };
      }),
    );
    return opened.sort((a, b) => b.at - a.at).map(({ page }) => page);
  }
}

/** Of another machine nobody here knows, so its window counts as one that lives. */
function isGone(owner: string): boolean {
  const [pid, ...machine] = owner.split(' ');
  if (machine.join(' ') !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
