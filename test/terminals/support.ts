/** Terminals through a whole host, as an agent and a person use them. */
import { readdirSync, readFileSync } from 'node:fs';
import type { EventOf, HandleId, HandleShowing, ViewId } from '../../protocol';
import type { HostClient } from '../support/hostClient';
import { done, toldOf, type Scene } from '../support/scene';

let calls = 0;

export const terminal = (args: Record<string, unknown> = {}) => ({
  tool: 'terminal',
  args,
  id: `term_${++calls}`,
});
export const write = (handle: string, args: Record<string, unknown> = {}) => ({
  tool: 'write_stdin',
  args: { handle, ...args },
  id: `write_${++calls}`,
});

type Call = ReturnType<typeof terminal> | ReturnType<typeof write>;

/** One turn with one call, in a session that asks for nothing; what the model was told of it. */
export async function tell(scene: Scene, call: Call): Promise<Record<string, unknown>> {
  const mark = scene.host.mark;
  scene.server.script([{ calls: [call] }, done()]);
  await scene.say('go');
  await scene.host.next('turn_ended', mark);
  return toldOf(scene.server, call.id);
}

/** What an agent reads, look by look, until `text` is in it: a read tells what there is when its time is up. */
export async function readUntil(scene: Scene, first: Call, text: string): Promise<string> {
  let read = String((await tell(scene, first))['output']);
  while (!read.includes(text)) {
    const handle = String(first.args['handle']);
    read += String((await tell(scene, write(handle, { yield_ms: 100 })))['output']);
  }
  return read;
}

/** Lets the agent's session do everything. */
export const free = (scene: Scene) =>
  scene.host.request('session/update', { session: scene.session, mode: 'full' });

export async function open(scene: Scene, args: Record<string, unknown> = {}): Promise<HandleId> {
  const told = await tell(scene, terminal({ yield_ms: 0, ...args }));
  return told['handle'] as HandleId;
}

export const ended = (host: HostClient, handle: string, after = 0): Promise<EventOf<'handle_ended'>> =>
  host.next('handle_ended', after, (event) => event.data.handle === handle);

/** A person's view: what it was shown, confirmed as it comes unless it is `slow`. */
export class View {
  text = '';
  bytes = 0;
  omitted = 0;
  last = false;
  isSlow = false;
  private unconfirmed = 0;

  private constructor(
    readonly host: HostClient,
    readonly id: ViewId,
  ) {}

  static async attach(
    host: HostClient,
    handle: HandleId,
    options: { cols?: number; rows?: number; slow?: boolean } = {},
  ): Promise<View> {
    const { slow, ...size } = options;
    const early: HandleShowing[] = [];
    const holder: { view: View | undefined } = { view: undefined };
    host.onShowing((showing) => {
      if (holder.view === undefined) early.push(showing);
      else holder.view.take(showing);
    });
    const { view } = await host.request('handle/attach', { handle, ...size });
    holder.view = new View(host, view);
    holder.view.isSlow = slow === true;
    for (const showing of early) holder.view.take(showing);
    return holder.view;
  }

  shows(text: string): Promise<true> {
    return this.host.until(() => (this.text.includes(text) ? true : undefined), `shown: ${text}`);
  }

  ended(): Promise<true> {
    return this.host.until(() => (this.last ? true : undefined));
  }

  confirm(): void {
    const bytes = this.unconfirmed;
    this.unconfirmed = 0;
    this.host.post({ jsonrpc: '2.0', method: 'handle/shown', params: { view: this.id, bytes } });
  }

  private take(showing: HandleShowing): void {
    if (showing.view !== this.id) return;
    this.text += showing.text;
    this.bytes += showing.bytes;
    this.omitted += showing.omitted;
    this.last = showing.last;
    this.unconfirmed += showing.bytes;
    if (!this.isSlow && !showing.last) this.confirm();
  }
}

/** Pids of the PTY hosts of this process, dead ones left out. */
export function ptyHosts(): number[] {
  return pidsWith((pid) => read(`/proc/${pid}/cmdline`).includes('ptyHost.js'));
}

/** Pids of all processes whose environment has this text. */
export const marked = (text: string): number[] =>
  pidsWith((pid) => read(`/proc/${pid}/environ`).includes(text));

function pidsWith(fits: (pid: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && fits(name))
    .map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** A text of at least so many bytes, no two places of which look alike. */
export function pasted(bytes: number): string {
  let text = '';
  for (let n = 0; Buffer.byteLength(text) < bytes; n += 500)
    text += Array.from({ length: 500 }, (_, at) => `${String(n + at)} é€ `).join('');
  return text;
}
