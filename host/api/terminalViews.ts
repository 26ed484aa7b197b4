/**
 * Views of terminals by this host's client: each gets its output as fast as it confirms what it was sent.
 *
 * Owns the views that are open. Does not own the terminals: closing a view ends nothing.
 */
import { ViewId, type HandleId, type HandleShowing, type HandleShown } from '../../protocol';
import type { Terminal, TerminalView } from '../engine/terminalPort';

export interface TerminalViews {
  attach(handle: HandleId, terminal: Terminal): ViewId;
  /** Harmless when the view is no more: its terminal may just have ended. */
  detach(view: ViewId): void;
  shown(shown: HandleShown): void;
  /** The client has gone. */
  close(): void;
}

export function createTerminalViews(
  send: (showing: HandleShowing) => void,
  soon: (run: () => void) => void,
): TerminalViews {
  const views = new Map<ViewId, TerminalView>();
  let opened = 0;
  return {
    attach: (handle, terminal) => {
      const view = ViewId.parse(`v${String(++opened)}`);
      let isWanted = true;
      const closed = { taken: () => {}, close: () => void (isWanted = false) };
      views.set(view, closed);
      // Behind the reply, which tells the view's name.
      soon(() => {
        if (!isWanted) return;
        const opened = terminal.attach((piece) => {
          if (piece.last) views.delete(view);
          send({ view, handle, ...piece });
        });
        if (views.has(view)) views.set(view, opened);
      });
      return view;
    },
    detach: (view) => {
      views.get(view)?.close();
      views.delete(view);
    },
    shown: ({ view, bytes }) => views.get(view)?.taken(bytes),
    close: () => {
      for (const view of views.values()) view.close();
      views.clear();
    },
  };
}
