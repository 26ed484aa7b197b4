import {
  ENDED_HANDLES_LISTED,
  PAGE_ITEMS_MOST,
  type Handle,
  type HostState,
  type Snapshot,
  say,
} from '../../protocol';
import { handleView, messageView, sessionView } from '../engine/views';
import { RequestError } from '../engine/errors';
import type { Tables } from '../store/ledger';
import { number } from '../store/rows';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import type { Host } from './host';
import { needsPage } from './requests';
import { serversNow } from './servers';

function hostState(host: Host, tables: Tables): HostState {
  const cord = tables.cord();
  const trouble = host.trouble();
  const unsaved = [...host.unsaved.paths()];
  return {
    paused: cord.pulled,
    epoch: cord.epoch,
    ended: [...cord.ended],
    quiet: host.readOnly || host.engine().isQuiet(),
    readOnly: host.readOnly,
    trusted: host.trusted(),
    ...(cord.pulled ? { pausedAt: cord.at, pausedBy: cord.by } : {}),
    ...(trouble === undefined ? {} : { trouble }),
    ...(unsaved.length === 0 ? {} : { unsaved }),
  };
}

/** Sessions that a snapshot lists: the newest; older ones are had by `session/list`. */
const SESSIONS = 1_000;
const NEEDS = 100_000;
const HANDLES = 10_000;
/** Stored events that a subscription may ask for behind its `after`; more are had by `events/list`. */
const EVENTS_SENT_AGAIN = 10_000;

/** What is open, and the newest that have ended: a list that is read anew shows the same as one that was open. */
export function handlesListed(tables: Tables): Handle[] {
  return [...tables.handles(undefined, 'open', 0, HANDLES), ...tables.newestEnded(ENDED_HANDLES_LISTED)]
    .sort((a, b) => number(a.id) - number(b.id))
    .map(handleView);
}

function snapshot(host: Host, tables: Tables): Snapshot {
  return {
    seq: tables.lastSeq(),
    host: hostState(host, tables),
    sessions: [...tables.sessions(undefined, undefined, SESSIONS)]
      .reverse()
      .map((row) => sessionView(row, tables.lastTurn(row.id))),
    needs: needsPage(tables, 0, NEEDS).map(({ need }) => need),
    handles: handlesListed(tables),
    unread: tables.allUnread().map(messageView),
    servers: [...serversNow(host)],
  };
}

/** A window that only reads has the owner of its store among the others. */
const ownerOf = (host: Host): 'owner' | undefined => (host.readOnly ? 'owner' : undefined);

export const hostHandlers: Handlers = {
  'events/subscribe': ({ after }, host) =>
    host.look((tables) => {
      const state = snapshot(host, tables);
      if (after !== undefined && after > state.seq)
        throw new RequestError('invalid_params', say('"after" is behind the newest event.'), {
          seq: state.seq,
        });
      if (after !== undefined && state.seq - after > EVENTS_SENT_AGAIN)
        throw new RequestError(
          'limit_exceeded',
          say('That is too long ago: read what is missing with events/list.'),
          {
            most: EVENTS_SENT_AGAIN,
          },
        );
      host.hub.subscribe(after ?? state.seq);
      if (after !== undefined) host.hub.publish(tables.eventPage(after, undefined, EVENTS_SENT_AGAIN));
      return { seq: state.seq, snapshot: state };
    }),
  'events/list': (params, host) =>
    host.look((tables) => {
      const limit = Math.min(limitOf(params.limit), PAGE_ITEMS_MOST);
      const after = cursorOf(params.cursor, params.after);
      return page(tables.eventPage(after, params.session, limit + 1), limit, (event) => event.seq);
    }),
  'host/pause': async (params, host) => {
    const by = params.by ?? say('you');
    const reason = params.reason === undefined ? {} : { reason: params.reason };
    const others = host.windows.ask('window/pause', { by, ...reason }, ownerOf(host));
    // A window that only reads has nothing of its own to stop, and can stop the others all the same.
    const pulled = host.readOnly ? undefined : await host.engine().pull(by, params.reason);
    if (pulled !== undefined && (await host.look((tables) => tables.cord().pulled))) host.pullAsked.remove();
    const windows = [...(await others)];
    return {
      // What is not done anywhere is not said to be done.
      paused: !host.readOnly || windows.some(({ paused }) => paused),
      epoch: pulled?.epoch ?? 0,
      ended: [...(pulled?.ended ?? [])],
      stopping: [...(pulled?.stopping ?? [])],
      windows,
    };
  },
  'host/resume': async (params, host) => {
    const by = params.by ?? say('you');
    const others = host.windows.ask('window/resume', { by }, ownerOf(host));
    const released = host.readOnly ? undefined : await host.engine().release(by);
    return {
      paused: false,
      epoch: released?.epoch ?? 0,
      starting: [...(released?.starting ?? [])],
      windows: [...(await others)],
    };
  },
  'host/status': async (_params, host) => {
    const others = host.windows.ask('window/status', {}, ownerOf(host));
    const own = await host.look((tables) => ({
      host: hostState(host, tables),
      starting: host.readOnly ? [] : [...host.engine().wouldStart()],
    }));
    return { ...own, windows: [...(await others)] };
  },
  'settings/update': (params, host) => host.update(params),
  'editor/unsaved': async ({ paths }, host) => {
    await host.unsaved.told(paths);
    return {};
  },
};
