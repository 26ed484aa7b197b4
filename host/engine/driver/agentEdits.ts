/**
 * What outside agents change in files by edits that they tell of, with what stood there before (H2). The content before
 * is taken between the allow and its way to the agent, which waits for it: what an agent does unasked, or tells only
 * afterwards, has none, and is said to have none. The content after it is taken at the result, before anything later
 * of the agent is let through. Of a file outside the workspace that nobody was asked for, and of one that is kept back
 * from reading, the hash alone is kept.
 */
import { MIB, type CallId, type TurnId } from '../../../protocol';
import { isUnder } from '../approvals/files';
import { readGate } from '../approvals/readGate';
import type { FileContent } from '../filePort';
import type { Prepared, ToolChange, Unsound } from '../ports';
import type { FileChange, HarnessCall } from '../harnessPort';
import type { LiveAgent } from './agentLive';
import { isPrepared } from './calls';
import { keepChanges } from './changes';
import { circumstancesIn } from './circumstances';
import type { Core, Job } from './core';
import { fitsTold } from './toldEdits';

/** An edit that an agent has under way. */
export interface LiveEdit {
  /** Absolute, without links. */
  readonly paths: readonly string[];
  /** The workspace's folders, without links. */
  readonly roots: readonly string[];
  /** It was asked for and allowed: without that an agent's word alone brings no content into the store. */
  readonly isAllowed: boolean;
  /** What the agent said of each file, in its order. */
  readonly told: ReadonlyMap<string, readonly FileChange[]>;
  /** What stood there when it was allowed. */
  readonly before: Map<string, FileContent>;
  /** Files that were another when the same was allowed once more: whose edit that was, nobody knows. */
  readonly unsure: Set<string>;
}

/** Files of one edit that are looked at; an edit of more is one of a program. */
const FILES = 256;
/** Bytes that are kept of edits under way, of one agent: what is beyond is not known afterwards. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** Remembers an edit by the agent's own id of its call. */
export function noteEdit(agent: LiveAgent, { id, deed }: HarnessCall, prepared: Prepared | Unsound): void {
  if (deed.kind !== 'edit' || !isPrepared(prepared)) return;
  const { subject } = prepared;
  if (subject.kind !== 'path' && subject.kind !== 'paths') return;
  const places = subject.kind === 'path' ? [subject.path] : subject.paths;
  const known = agent.edits.get(id);
  agent.edits.set(id, {
    paths: [...new Set(places)].slice(0, FILES),
    roots: subject.roots ?? [],
    isAllowed: known?.isAllowed ?? false,
    told: toldOf(deed.changes, places),
    before: known?.before ?? new Map<string, FileContent>(),
    unsure: known?.unsure ?? new Set<string>(),
  });
}

/** What is said of each file; the places stand in the order of the changes. */
function toldOf(
  changes: readonly FileChange[],
  paths: readonly string[],
): ReadonlyMap<string, readonly FileChange[]> {
  const told = new Map<string, FileChange[]>();
  for (const [at, path] of paths.entries()) {
    const change = changes[at];
    if (change !== undefined) told.set(path, [...(told.get(path) ?? []), change]);
  }
  return told;
}

/** The edit for which this call is allowed, from now on; undefined for any other call. */
export function allowEdit(agent: LiveAgent, call: CallId): LiveEdit | undefined {
  const id = [...agent.calls].find(([, name]) => name === call)?.[0];
  const edit = id === undefined ? undefined : agent.edits.get(id);
  if (id === undefined || edit === undefined) return undefined;
  const allowed = { ...edit, isAllowed: true };
  agent.edits.set(id, allowed);
  return allowed;
}

/** Takes the files as they are before the agent hears that it may change them. Never rejects. */
export async function takeBefore(core: Core, agent: LiveAgent, edit: LiveEdit): Promise<void> {
  const { paths, before } = edit;
  const kept = keeper(core, agent, edit);
  let room = KEPT_BYTES - keptBytes(agent);
  for (const path of paths) {
    if (kept(path) !== 'content') continue;
    const content = await core.files.content(path);
    const known = before.get(path);
    if (known !== undefined) {
      if (!isSame(known, content)) edit.unsure.add(path);
      continue;
    }
    room -= sizeOf(content);
    if (content.kind !== 'unreadable' && room >= 0) before.set(path, content);
  }
}

const bytesOf = (content: FileContent): Uint8Array | undefined =>
  content.kind === 'file' ? content.bytes : undefined;

function isSame(one: FileContent, other: FileContent): boolean {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  return one.kind === other.kind && (a === undefined || b === undefined || Buffer.compare(a, b) === 0);
}

const sizeOf = (content: FileContent): number => (content.kind === 'file' ? content.bytes.byteLength : 0);

const keptBytes = (agent: LiveAgent): number =>
  [...agent.edits.values()]
    .flatMap(({ before }) => [...before.values()])
    .reduce((sum, content) => sum + sizeOf(content), 0);

/** Where a system shows itself as files: what is read there is no content of one. */
const SYSTEM = ['/proc', '/sys'];

type Kept = 'content' | 'hash' | 'nothing';

/** What is kept of a file: what no tool of Belay's might read in the edit's place stays out of the store (A1). */
function keeper(core: Core, agent: LiveAgent, { roots, isAllowed }: LiveEdit): (path: string) => Kept {
  const now = core.ledger.read((tx) => {
    const turn = agent.turn === undefined ? undefined : tx.turn(agent.turn);
    return turn === undefined ? undefined : circumstancesIn(core, tx, turn.session, turn.mode);
  });
  return (path) => {
    if (SYSTEM.some((folder) => isUnder(folder, path))) return 'nothing';
    if (now === undefined || (!isAllowed && !roots.some((root) => isUnder(root, path)))) return 'hash';
    // What an allowed edit names has been asked for, as with an edit of Belay's own.
    return readGate(now, roots, isAllowed ? path : undefined).text(path) ? 'content' : 'hash';
  };
}

/** How an edit is over: with the agent's word on it, or with the run, without one. */
export type Over = 'done' | 'failed' | 'untold';

/** Bytes of what one end leaves behind that are kept: beyond it the hash alone is (R10). */
const AFTER_BYTES = 16 * MIB;

/** What is left of that; of edits that end together it is one. */
export interface Room {
  bytes: number;
}

export const roomAfter = (): Room => ({ bytes: AFTER_BYTES });

/** What an edit has changed, as the files are now, written to the disk file by file (D7); it is over with that. */
export async function takeAfter(
  core: Core,
  agent: LiveAgent,
  id: string,
  over: Over,
  room: Room,
): Promise<readonly ToolChange[]> {
  const edit = agent.edits.get(id);
  if (edit === undefined) return [];
  agent.edits.delete(id);
  const kept = keeper(core, agent, edit);
  const changes: ToolChange[] = [];
  for (const path of edit.paths) {
    const before = edit.before.get(path);
    // What failed and has no known content before it has most likely changed nothing.
    if (before === undefined && over !== 'done') continue;
    const found = await changeAt(core, path, before, kept(path));
    const sure = found === undefined || found === 'unreadable' ? found : surely(edit, over, found);
    const change = sure === undefined || sure === 'unreadable' ? sure : await staged(core, sure, room);
    if (change === 'unreadable')
      core.log('info', `What an outside agent has changed in ${path} is no file, or cannot be read.`);
    else if (change !== undefined) changes.push(change);
  }
  return changes;
}

/** With its content on the disk, or without it where there is no room. */
async function staged(core: Core, change: ToolChange, room: Room): Promise<ToolChange> {
  const { path, before, after } = change;
  const isKept = after === undefined || after.byteLength <= room.bytes;
  if (isKept) room.bytes -= after?.byteLength ?? 0;
  else core.log('info', `What an outside agent has left in ${path} is not kept: it is too much at once.`);
  const unkept = isKept ? undefined : await core.files.now(path);
  const kept = unkept?.kind === 'file' ? { ...change, after: undefined, unkept: unkept.hash } : change;
  await core.ledger.stage([before, kept.after].filter((side) => side !== undefined));
  return kept;
}

/** Without the agent's word, what does not fit what it was about to do may be somebody else's edit. */
function surely({ unsure, told }: LiveEdit, over: Over, change: ToolChange): ToolChange {
  const { path, before, after } = change;
  const isKnown = !unsure.has(path) && (over !== 'untold' || fitsTold(told.get(path) ?? [], before, after));
  return isKnown ? change : { ...change, before: undefined, isUnknown: true };
}

async function changeAt(
  core: Core,
  path: string,
  before: FileContent | undefined,
  kept: Kept,
): Promise<ToolChange | 'unreadable' | undefined> {
  if (kept === 'nothing') return 'unreadable';
  if (kept === 'hash') {
    const now = await core.files.now(path);
    if (now.kind === 'unreadable') return now.kind;
    const unkept = now.kind === 'file' ? { unkept: now.hash } : {};
    return { path, before: undefined, isUnknown: true, after: undefined, ...unkept };
  }
  const after = await core.files.content(path);
  return after.kind === 'unreadable' ? after.kind : changeOf(path, before, after);
}

function changeOf(
  path: string,
  before: FileContent | undefined,
  after: Exclude<FileContent, { kind: 'unreadable' }>,
): ToolChange | undefined {
  const change = { path, after: bytesOf(after) };
  if (before === undefined) return { ...change, before: undefined, isUnknown: true };
  return isSame(before, after) ? undefined : { ...change, before: bytesOf(before) };
}

/** Writes down what a call has changed that was under way until now; one that was denied has changed nothing. */
export function keepEdited(job: Job, id: TurnId, callId: CallId, changes: readonly ToolChange[]): void {
  const turn = job.tx.turn(id);
  const call = job.tx.call(id, callId);
  if (turn === undefined || call === undefined || call.status === 'done' || call.status === 'asking') return;
  keepChanges(job, turn, call, { output: {}, failed: false, changes });
}
