/**
 * What the chat page and the extension say to each other: plain JSON over the webview's message channel.
 * Both sides import these types, so this file knows neither the DOM nor `vscode`.
 *
 * The extension relays and does not interpret:
 *  1. A `request` goes to the host as it is, and its outcome comes back as one `reply` with the same id. Every
 *     request gets a reply: when the host goes away, an error with the code `host_failed`.
 *  2. `reply` and `event` are posted in the order in which the host sent them. The page relies on it to know
 *     which deltas a transcript that it has read already holds.
 *  3. After `ready` the extension posts `state`, and again whenever anything in it changes or the host has other
 *     models: with each one the page asks for the models and the agents (`model/list`, `harness/list`). It subscribes
 *     by itself, through a request, once the host is `ready`, and again when the host is `ready` after anything
 *     else.
 *  4. A hidden webview loses what is posted to it. When it is shown again the extension posts `visible`, and
 *     the page reads everything anew.
 *
 * The page needs this content security policy and no more:
 *   default-src 'none'; script-src 'nonce-…'; style-src ${cspSource}; font-src ${cspSource}; img-src data:
 * Its document is `<body><div id="app"></div></body>` with `codicon.css`, `webview.css` and `webview.js`.
 */
import type { BelayEvent } from '../protocol/events';
import type { ApprovalId, HandleId, QuestionId, SessionId, TurnId } from '../protocol/ids';
import type { Context } from '../protocol/message';
import type { Method } from '../protocol/methods';
import type { Mode } from '../protocol/session';

/**
 * The `by` of what a person does, by the place where it was done. It is shown as it stands, in sentences like
 * "Already allowed by you from the tree at 10:03."
 */
export const BY = {
  chat: 'you from the chat',
  tree: 'you from the tree',
  notification: 'you from the notification',
  palette: 'you from the palette',
  statusBar: 'you from the status bar',
} as const;

/** What only the editor can do for the page. The list is closed: the extension ignores anything else. */
export type EditorCommand =
  /** Both sides of an edit that waits, in a diff editor (`approval/preview`). */
  | { readonly command: 'openDiff'; readonly args: { readonly approval: ApprovalId } }
  /** `path` is absolute, or relative to `folder`. Lines count from 1. */
  | {
      readonly command: 'openFile';
      readonly args: { readonly path: string; readonly folder?: string; readonly line?: number };
    }
  /** Only `http:` and `https:` addresses come here; the extension checks it again. */
  | { readonly command: 'openLink'; readonly args: { readonly url: string } }
  /** A text that is too long for a card, as an untitled document. */
  | {
      readonly command: 'openText';
      readonly args: { readonly text: string; readonly language?: string };
    }
  /** Puts a code block at the cursor of the active editor. */
  | { readonly command: 'insertText'; readonly args: { readonly text: string } }
  /** Lets the person choose a file, the selection or the problems; the choice comes back as `attach`. */
  | { readonly command: 'pickContext'; readonly args: { readonly session?: SessionId } }
  /** Files whose path holds this text; they come back as `files`. */
  | { readonly command: 'findFiles'; readonly args: { readonly query: string } }
  /** Files that were dropped on the composer, by their addresses; they come back as `attach`. */
  | { readonly command: 'attachAddresses'; readonly args: { readonly addresses: readonly string[] } }
  /** Before and after of a file that the agent has changed, in a diff editor; of all of them without `path`. */
  | {
      readonly command: 'reviewChanges';
      readonly args: { readonly session: SessionId; readonly turn?: TurnId; readonly path?: string };
    }
  /** Files are picked and secrets entered in dialogs of the editor's own. */
  | { readonly command: 'answerQuestion'; readonly args: { readonly question: QuestionId } }
  | { readonly command: 'showHandleOutput'; readonly args: { readonly handle: HandleId } }
  | { readonly command: 'attachTerminal'; readonly args: { readonly handle: HandleId } }
  /** Asks for the key of this provider, or lets the person choose the provider. */
  | { readonly command: 'setKey'; readonly args: { readonly provider?: string } }
  /** Every model there is, to choose from: for the session, or else for new ones. */
  | { readonly command: 'allModels'; readonly args: { readonly session?: SessionId } }
  | { readonly command: 'showLog'; readonly args: Record<string, never> }
  | { readonly command: 'restartHost'; readonly args: Record<string, never> }
  | { readonly command: 'manageRules'; readonly args: Record<string, never> }
  | { readonly command: 'manageTrust'; readonly args: Record<string, never> };

export type EditorCommandName = EditorCommand['command'];

/** From the page to the extension. */
export type FromPage =
  /** The page listens from now on. `page` is its id, the same over reloads, which no page of another window has. */
  | { readonly type: 'ready'; readonly page: string }
  | { readonly type: 'request'; readonly id: number; readonly method: Method; readonly params: unknown }
  /** These requests (`protocol/needKey.ts`) are on the screen, or behind the one in front, which says how many there are. */
  | { readonly type: 'drawn'; readonly needs: readonly string[] }
  /** The page shows this session now, or none. */
  | { readonly type: 'open'; readonly session?: SessionId }
  /** The person has written something that is not with the host yet. The extension keeps it as it is, at once. */
  | { readonly type: 'written'; readonly part: WrittenPart; readonly value: unknown }
  | ({ readonly type: 'command' } & EditorCommand);

/**
 * What the person has written in two parts, so that a key costs no copy of a picture: `texts` are the words of drafts,
 * reasons and answers, and what is on its way to the host; `pictures` are those of drafts and messages. What is in them only the
 * page knows (`webview/state/written.ts`).
 */
export type WrittenPart = 'texts' | 'pictures';
export type WrittenParts = Readonly<Partial<Record<WrittenPart, unknown>>>;

export type HostStage = 'starting' | 'ready' | 'failed' | 'restarting';

/** What the page cannot learn from the host. */
export interface EditorState {
  readonly trusted: boolean;
  readonly hostState: HostStage;
  /** Why the host failed or restarts, as a sentence. */
  readonly detail?: string;
  /**
   * Translated texts by the keys of `webview/strings.ts`, and the host's sentences by themselves (`protocol/say.ts`);
   * what is missing is shown in English.
   */
  readonly strings: Readonly<Record<string, string>>;
  readonly folders: readonly { readonly path: string; readonly name: string }[];
  /** What a new session begins with. */
  readonly defaults: { readonly model?: string; readonly mode: Mode };
  /** The session to show when the page has none of its own to restore. */
  readonly session?: SessionId;
  /** What was kept of `written`; only in the answer to `ready`. */
  readonly written?: WrittenParts;
}

/** The part of an error reply that the page reads. */
export interface ReplyError {
  readonly message: string;
  /** `{code, …}` as the host sent it. */
  readonly data?: unknown;
}

/** From the extension to the page. */
export type ToPage =
  | { readonly type: 'reply'; readonly id: number; readonly result: unknown }
  | { readonly type: 'reply'; readonly id: number; readonly error: ReplyError }
  | { readonly type: 'event'; readonly event: BelayEvent }
  | ({ readonly type: 'state' } & EditorState)
  | { readonly type: 'visible' }
  /** The person chose a session elsewhere: in the tree, in a notification. */
  | { readonly type: 'show'; readonly session: SessionId }
  /** The person asked to be taken there: the composer, or the request that waits (`approval` or question id). */
  | { readonly type: 'focus'; readonly target: 'composer' | 'request'; readonly need?: string }
  /** What the person chose for `pickContext`, or attached from an editor or the explorer. */
  | { readonly type: 'attach'; readonly context: readonly Context[] }
  /** What is open in the editor: its selection, or else its file; absent when it is no file. */
  | { readonly type: 'active'; readonly context?: Context }
  /** What was found for `findFiles`. `name` is the path as a person reads it. */
  | {
      readonly type: 'files';
      readonly query: string;
      readonly items: readonly { readonly path: string; readonly name: string; readonly folder: boolean }[];
    }
  /** A text for the composer; it is added to the draft, never put in its place. */
  | { readonly type: 'draft'; readonly text: string };

export type ToPageType = ToPage['type'];
