/** `.vscode/mcp.json` of each folder, read again only when it has changed. A look costs one call of the system. */
import { readFileSync, statSync } from 'node:fs';
import { filePath } from './config';

/** More than this is no configuration, bytes. */
const FILE_BYTES = 1024 * 1024;

interface Seen {
  readonly stamp: string;
  readonly text: string | undefined;
}

export interface WorkspaceFiles {
  /** The file's text; undefined when there is none that can be read. */
  read(folder: string): string | undefined;
}

export function workspaceFiles(): WorkspaceFiles {
  const seen = new Map<string, Seen>();
  return {
    read(folder) {
      const path = filePath(folder);
      const stamp = stampOf(path);
      if (stamp === undefined) {
        seen.delete(folder);
        return undefined;
      }
      const before = seen.get(folder);
      if (before?.stamp === stamp) return before.text;
      const text = textOf(path);
      seen.set(folder, { stamp, text });
      return text;
    },
  };
}

function stampOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > FILE_BYTES) return undefined;
    return `${stat.ino}/${stat.size}/${stat.mtimeMs}`;
  } catch {
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
