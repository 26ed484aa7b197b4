/** A call of an outside agent, looked at so that it is judged, shown and allowed like one of Belay's own (H2, A12). */
import { PREVIEW_BYTES, type Preview } from '../../../protocol';
import { subjectOf } from '../../engine/approvals/reading';
import type { Deed, FileChange, HarnessCall } from '../../engine/harnessPort';
import type { CallClass, Prepared, Unsound, Workplace } from '../../engine/ports';
import type { Place, Surroundings } from './outside';
import { sidesOf } from './sides';

type Around = Pick<Surroundings, 'locate' | 'refusal' | 'content' | 'diff' | 'read' | 'named'>;

export async function prepareCall(
  call: HarnessCall,
  place: Workplace,
  around: Around,
): Promise<Prepared | Unsound> {
  try {
    const refusal = await around.refusal(named(call), placeOf(call, place));
    if (refusal !== undefined) return { error: 'tool_arguments_invalid', detail: refusal };
    return { ...(await looked(call, place, around)), tool: call.tool, args: call.args, liftable: false };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { error: 'tool_arguments_invalid', detail };
  }
}

/** What may name what no tool may: paths are refused where they are located. */
function named({ deed, args }: HarnessCall): unknown {
  switch (deed.kind) {
    case 'command':
      return deed.command;
    case 'other':
      return args;
    case 'read':
    case 'edit':
    case 'own':
    case 'question':
    case 'plan':
      return undefined;
  }
}

/** A command's own words start from its own folder. */
const placeOf = ({ deed }: HarnessCall, place: Workplace): Workplace =>
  deed.kind === 'command' && deed.folder !== undefined ? { ...place, folder: deed.folder } : place;

type Looked = Pick<Prepared, 'class' | 'title' | 'preview' | 'subject'>;

async function looked(call: HarnessCall, place: Workplace, around: Around): Promise<Looked> {
  const { deed } = call;
  switch (deed.kind) {
    case 'command': {
      const where = { command: deed.command, folder: deed.folder ?? place.folder };
      const reading = await around.read(deed.command);
      const edits = await Promise.all((deed.edits ?? []).map((path) => around.locate(place, path, 'edit')));
      return {
        class: edits.some((at) => at.class === 'edit_protected') ? 'edit_protected' : 'command',
        title: firstLine(deed.command),
        preview: { kind: 'command', ...where },
        subject: { kind: 'command', ...where, reading, ...(await around.named(reading, where.folder)) },
      };
    }
    case 'read': {
      const places = await Promise.all(deed.paths.map((path) => around.locate(place, path, 'read')));
      return {
        class: places.some((at) => at.class === 'read_outside') ? 'read_outside' : 'read',
        title: call.title,
        preview: { kind: 'arguments' },
        subject: subjectOf(places),
      };
    }
    case 'edit':
      return edited(deed, place, around);
    case 'own':
    case 'question':
      return { class: 'own', title: call.title, preview: { kind: 'arguments' }, subject: { kind: 'none' } };
    case 'plan':
      return {
        class: 'command',
        title: call.title,
        preview: { kind: 'text', text: cut(deed.plan), cut: deed.plan.length > PREVIEW_BYTES },
        subject: { kind: 'none' },
      };
    case 'other':
      return {
        class: 'command',
        title: call.title,
        preview: { kind: 'arguments' },
        subject: { kind: 'none' },
      };
  }
}

async function edited(
  deed: Extract<Deed, { kind: 'edit' }>,
  place: Workplace,
  around: Around,
): Promise<Looked> {
  const places = await Promise.all(deed.changes.map(({ path }) => around.locate(place, path, 'edit')));
  const title = editTitle(deed.changes, places);
  const previews = await Promise.all(
    deed.changes.flatMap((change, at) =>
      change.kind === 'target' ? [] : [previewOf(change, places[at], around)],
    ),
  );
  return { class: worst(places), title, preview: together(previews, title), subject: subjectOf(places) };
}

function editTitle(changes: readonly FileChange[], [first, second, ...rest]: readonly Place[]): string {
  if (first === undefined || rest.length > 0) return `Edit ${String(changes.length)} files`;
  if (second === undefined) return `Edit ${first.shown}`;
  return changes[1]?.kind === 'target' ? `Move ${first.shown} to ${second.shown}` : 'Edit 2 files';
}

const ORDER: readonly CallClass[] = ['edit', 'edit_outside', 'edit_protected'];

/** The strictest of several; an edit that names no file is judged like a command. */
const worst = (places: readonly Place[]): CallClass =>
  places.length === 0
    ? 'command'
    : (ORDER[Math.max(...places.map((at) => ORDER.indexOf(at.class)))] ?? 'edit_protected');

async function previewOf(
  change: Exclude<FileChange, { kind: 'target' }>,
  at: Place | undefined,
  around: Around,
): Promise<Preview> {
  const path = at?.shown ?? change.path;
  switch (change.kind) {
    case 'text':
      return around.diff(path, change.before, change.after);
    case 'diff':
      return ownDiff(path, change.diff);
    case 'whole':
    case 'replaced': {
      const now = at === undefined ? UNREADABLE : await around.content(at.real);
      const sides = sidesOf(change, now);
      return sides === undefined ? { kind: 'arguments' } : around.diff(path, sides.before, sides.after);
    }
    case 'unknown':
      return { kind: 'arguments' };
  }
}

const UNREADABLE = { kind: 'unreadable' } as const;

/** The agent's own diff, as it is. */
function ownDiff(path: string, diff: string): Preview {
  const lines = diff.split('\n');
  const count = (sign: string, not: string) =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(not)).length;
  return {
    kind: 'diff',
    path,
    diff: cut(diff),
    added: count('+', '+++'),
    removed: count('-', '---'),
    created: false,
    cut: diff.length > PREVIEW_BYTES,
  };
}

const cut = (text: string): string => text.slice(0, PREVIEW_BYTES);

function together(previews: readonly Preview[], title: string): Preview {
  const diffs = previews.filter((one) => one.kind === 'diff');
  const [first, ...rest] = diffs;
  if (first === undefined || diffs.length < previews.length) return { kind: 'arguments' };
  if (rest.length === 0) return first;
  const whole = diffs.map((one) => one.diff).join('\n');
  return {
    kind: 'diff',
    path: title,
    diff: cut(whole),
    added: diffs.reduce((sum, one) => sum + one.added, 0),
    removed: diffs.reduce((sum, one) => sum + one.removed, 0),
    created: diffs.every((one) => one.created),
    cut: whole.length > PREVIEW_BYTES || diffs.some((one) => one.cut),
  };
}

/** Characters of a title. */
const TITLE = 200;

function firstLine(command: string): string {
  const [line = '', ...rest] = command.trim().split('\n');
  const short = line.length > TITLE ? `${line.slice(0, TITLE)}…` : line;
  return rest.length > 0 ? `${short} …` : short;
}
