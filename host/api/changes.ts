/** Files that tools have changed, for a person who reviews them. */
import { say, type FileChange, type SessionId, type TurnId } from '../../protocol';
import { soon } from '../base/clock';
import { countLines, isText } from '../adapters/tools/lineCounts';
import { filesOf, type ChangedFile } from '../engine/changes';
import { refuse, RequestError } from '../engine/errors';
import type { FileNow } from '../engine/filePort';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import type { Host } from './host';

const changed = (host: Host, session: SessionId, turn: TurnId | undefined) =>
  host.look((tables) => {
    if (tables.session(session) === undefined) throw refuse('session_unknown', { session });
    return filesOf(tables.changes(session), turn === undefined ? undefined : [turn]);
  });

const contentOf = (host: Host, id: string | undefined): Promise<Uint8Array | undefined> =>
  id === undefined ? Promise.resolve(undefined) : host.look((tables) => tables.content(id));

/** What two contents differ by never changes, and is asked for again with each look at the list. */
const counted = new Map<string, Pick<FileChange, 'binary' | 'added' | 'removed'>>();
const COUNTED_MOST = 1_024;

async function counts(host: Host, file: ChangedFile) {
  const key = `${file.isUnknown ? '?' : (file.before ?? '')}:${file.after ?? ''}`;
  const known = counted.get(key);
  if (known !== undefined) return known;
  const before = file.isUnknown ? undefined : await contentOf(host, file.before);
  const after = await contentOf(host, file.after);
  const sides = [before, after].filter((side) => side !== undefined);
  // It is looked for again: another change may leave the same behind, and keep it.
  if (file.after !== undefined && after === undefined)
    return { binary: !sides.every(isText), unkept: true as const };
  const compared = file.isUnknown ? {} : countLines(before, after);
  const found = sides.every(isText) ? { binary: false, ...compared } : { binary: true };
  if (counted.size >= COUNTED_MOST) counted.clear();
  counted.set(key, found);
  return found;
}

function stateOf({ before, isUnknown, after }: ChangedFile, now: FileNow): FileChange['state'] {
  if (now.kind === 'unreadable') return 'unreadable';
  const hash = now.kind === 'missing' ? undefined : now.hash;
  if (hash === after) return 'as_left';
  if (!isUnknown && hash === before) return 'as_before';
  return now.kind === 'missing' ? 'missing' : 'edited';
}

const kindOf = ({ before, isUnknown, after }: ChangedFile): FileChange['kind'] => {
  if (after === undefined) return 'deleted';
  return before === undefined && !isUnknown ? 'created' : 'modified';
};

async function changeOf(host: Host, file: ChangedFile): Promise<FileChange> {
  return {
    path: file.path,
    kind: kindOf(file),
    ...(file.isUnknown ? { unknownBefore: true as const } : {}),
    ...(await counts(host, file)),
    state: stateOf(file, await host.files.now(file.path)),
    turns: [...file.turns],
    changedAt: file.at,
  };
}

export const changeHandlers: Handlers = {
  'change/list': async (params, host) => {
    const limit = limitOf(params.limit);
    const from = cursorOf(params.cursor, 0);
    const files = (await changed(host, params.session, params.turn))
      .map((file, place) => ({ file, place: place + 1 }))
      .slice(from, from + limit + 1);
    const items: { readonly place: number; readonly change: FileChange }[] = [];
    // One after the other, with room for everything else in between: a comparison may take a moment.
    for (const { file, place } of files) {
      items.push({ place, change: await changeOf(host, file) });
      await new Promise<void>((next) => soon(next));
    }
    const listed = page(items, limit, ({ place }) => place);
    return { ...listed, items: listed.items.map(({ change }) => change) };
  },
  'change/read': async (params, host) => {
    const file = (await changed(host, params.session, params.turn)).find(({ path }) => path === params.path);
    if (file === undefined)
      throw new RequestError(
        'invalid_params',
        say('Nothing is kept of a change of {path}.', { path: params.path }),
      );
    const before = file.isUnknown ? undefined : await contentOf(host, file.before);
    const after = await contentOf(host, file.after);
    return {
      ...(before === undefined ? {} : { before: Buffer.from(before).toString('base64') }),
      ...(after === undefined ? {} : { after: Buffer.from(after).toString('base64') }),
    };
  },
  'change/revert': async (params, host) => ({
    items: await host.engine().revertChanges({
      session: params.session,
      turn: params.turn,
      since: params.since,
      paths: params.paths,
      by: params.by ?? 'you',
    }),
  }),
};
