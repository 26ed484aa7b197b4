/** What happens in one session, in the words of a test, as events of the host. */
import type { DataOf } from '../../../protocol/events';
import type { Offer, Preview } from '../../../protocol/approval';
import type { Handle } from '../../../protocol/handle';
import type { Message } from '../../../protocol/message';
import type { Session, Usage } from '../../../protocol/session';
import type { FakeEditor } from './fakeEditor';

export const USAGE: Usage = { inputTokens: 17_200, outputTokens: 812, cachedTokens: 12_000, costUsd: 0.04 };
const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

export interface Asked {
  readonly call?: string;
  readonly tool?: string;
  readonly title: string;
  readonly args?: unknown;
  readonly preview?: Preview;
  readonly why?: string;
  readonly offers?: readonly Offer[];
  readonly request?: number;
  readonly editable?: true;
  readonly handle?: string;
  readonly parent?: string;
  readonly lapsesAt?: number;
}

export class Story {
  turn = '';
  step = 0;
  #turns = 0;
  #lifted: Handle | undefined;
  #messages = 0;

  constructor(
    readonly editor: FakeEditor,
    readonly session = 's1',
  ) {}

  begin(title = 'Fix login', change: Partial<Session> = {}): this {
    const session = {
      id: this.session,
      title,
      folder: '/w/shop',
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'ask',
      archived: false,
      state: 'idle',
      usage: NO_USAGE,
      createdAt: this.editor.at,
      updatedAt: this.editor.at,
      ...change,
    } as Session;
    return this.emit('session_created', { session });
  }

  /** A message that the next turn reads at once. */
  ask(text: string, extra: Partial<Message> = {}): this {
    const message = this.send(text, { delivery: 'steer', ...extra });
    this.turn = `${this.session}t${++this.#turns}`;
    this.step = 0;
    return this.emit('turn_started', { turn: this.turn, model: 'local/m1', cause: 'message' } as never).read(
      message,
      text,
      extra,
    );
  }

  /** A message that waits to be read. */
  send(text: string, extra: Partial<Message> = {}): string {
    const id = extra.id ?? `${this.session}m${++this.#messages}`;
    const content = {
      id,
      session: this.session,
      text,
      delivery: 'steer',
      state: 'accepted',
      at: this.editor.at,
      ...extra,
    } as Message;
    this.emit('message_accepted', { message: content.id, content });
    return id;
  }

  read(message: string, text: string, extra: Partial<Message> = {}): this {
    const { images, context } = extra;
    return this.emit('message_read', {
      message,
      step: this.step,
      text,
      ...(images === undefined ? {} : { images }),
      ...(context === undefined ? {} : { context }),
    } as DataOf<'message_read'>);
  }

  /** Text that streams; `said` ends it. */
  stream(text: string): this {
    return this.emit('text_delta', { step: this.step, text });
  }

  think(text: string): this {
    return this.emit('reasoning_delta', { step: this.step, text });
  }

  said(text: string, extra: { reasoning?: string; partial?: boolean } = {}): this {
    this.emit('message_completed', { step: this.step, text, ...extra });
    this.step++;
    return this;
  }

  plan(
    ...calls: readonly { id: string; tool: string; title: string; args?: unknown; parent?: string }[]
  ): this {
    return this.emit('calls_planned', {
      step: this.step,
      calls: calls.map(({ id, args = {}, ...rest }) => ({ call_id: id, args, ...rest })),
    } as DataOf<'calls_planned'>);
  }

  /** A call that has changed a file. */
  changed(call: string, path: string, kind: 'created' | 'modified' = 'modified'): this {
    return this.emit('file_changed', { call_id: call, path, kind } as DataOf<'file_changed'>);
  }

  started(call: string, tool = 'shell', title = ''): this {
    return this.emit('tool_started', { call_id: call, tool, title } as DataOf<'tool_started'>);
  }

  wrote(call: string, text: string): this {
    return this.emit('tool_progress', { call_id: call, stream: 'stdout', text } as DataOf<'tool_progress'>);
  }

  done(call: string, result: unknown, extra: Partial<DataOf<'tool_completed'>> = {}): this {
    return this.emit('tool_completed', {
      call_id: call,
      tool: 'shell',
      result,
      failed: false,
      ...extra,
    } as DataOf<'tool_completed'>);
  }

  /** A call planned, started and done. */
  ran(call: string, tool: string, title: string, args: unknown, result: unknown, ms = 40): this {
    this.plan({ id: call, tool, title, args }).started(call, tool, title);
    this.editor.at += ms;
    return this.done(call, result, { tool });
  }

  asks(id: string, asked: Asked): this {
    const { call = `c-${id}`, tool = 'shell', args = {}, request = 1, offers = [], ...rest } = asked;
    return this.emit('approval_requested', {
      id,
      call_id: call,
      request,
      tool,
      args,
      preview: { kind: 'command', command: asked.title, folder: '/w/shop' },
      why: 'No rule allows this command.',
      folder: '/w/shop',
      askedAt: this.editor.at,
      offers,
      ...rest,
    } as unknown as DataOf<'approval_requested'>);
  }

  /** A command that waits for a verdict, with its call. */
  asksCommand(id: string, command: string, extra: Partial<Asked> = {}): this {
    const call = extra.call ?? `c-${id}`;
    this.plan({ id: call, tool: 'shell', title: command, args: { command } });
    return this.asks(id, { call, title: command, args: { command }, offers: offersFor(command), ...extra });
  }

  verdict(
    id: string,
    decision: 'allow' | 'deny',
    extra: { call?: string; by?: string; reason?: string } = {},
  ): this {
    const { call = `c-${id}`, by = 'you from the chat', reason } = extra;
    return this.emit('approval_answered', {
      id,
      request: 1,
      call_id: call,
      decision,
      by,
      ...(reason === undefined ? {} : { reason }),
    } as DataOf<'approval_answered'>);
  }

  question(
    id: string,
    title: string,
    choices: readonly string[] = [],
    extra: Record<string, unknown> = {},
  ): this {
    const call = `c-${id}`;
    this.plan({ id: call, tool: 'ask', title, args: { question: title, choices } });
    return this.emit('question_asked', {
      id,
      call_id: call,
      tool: 'ask',
      title,
      args: { question: title, choices },
      askedAt: this.editor.at,
      ...extra,
    } as DataOf<'question_asked'>);
  }

  lifted(call: string, handle: string, title: string, waits_for?: 'approval' | 'answer'): this {
    const content = {
      id: handle,
      session: this.session,
      turn: this.turn,
      call,
      kind: 'call',
      title,
      folder: '/w/shop',
      lifted: true,
      state: waits_for === undefined ? 'running' : 'waiting',
      ...(waits_for === undefined ? { runningAt: this.editor.at } : { waitsFor: waits_for }),
      startedAt: this.editor.at,
    } as Handle;
    this.#lifted = content;
    return this.emit('call_lifted', {
      call_id: call,
      handle,
      title,
      content,
      ...(waits_for === undefined ? {} : { waits_for }),
    } as unknown as DataOf<'call_lifted'>);
  }

  /** What was lifted last, and has been allowed, runs. */
  runs(): this {
    const content = { ...this.#lifted, state: 'running', runningAt: this.editor.at } as Handle;
    return this.emit('handle_started', { handle: content.id, content });
  }

  ended(status: 'completed' | 'failed' | 'interrupted', code?: string, detail?: string): this {
    return this.emit('turn_ended', {
      turn: this.turn,
      status,
      usage: USAGE,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
    } as DataOf<'turn_ended'>);
  }

  used(usage: Usage = USAGE): this {
    return this.emit('usage_recorded', { step: this.step, model: 'local/m1', usage });
  }

  emit<T extends Parameters<FakeEditor['emit']>[0]>(type: T, data: DataOf<T>): this {
    const turn = this.turn === '' ? {} : { turn: this.turn };
    this.editor.emit(type, data, { session: this.session, ...turn });
    return this;
  }
}

export function pause(
  editor: FakeEditor,
  ended: readonly { kind: string; id: string; title: string }[] = [],
): void {
  editor.emit('host_paused', {
    epoch: 4,
    by: 'you from the palette',
    ended: [...ended],
    pausedAt: editor.at,
  });
  editor.emit('host_quiet', { epoch: 4 });
}

export function offersFor(command: string): readonly Offer[] {
  const match = { kind: 'command', command, folder: '/w/shop' } as const;
  return [
    { scope: 'session', match, label: `\`${command}\` exactly` },
    { scope: 'workspace', match, label: `\`${command}\` exactly` },
  ];
}

export const EDIT_DIFF = `--- a/src/login.ts
+++ b/src/login.ts
@@ -12,5 +12,8 @@ export function openSession(response: Response, user: User) {
   const token = sign(user.id);
-  response.cookie('session', token);
+  response.cookie('session', token, {
+    sameSite: 'lax',
+    secure: isProduction,
+  });
   log.info('session opened', { user: user.id });
   return token;
 }
`;

export const EDIT_PREVIEW: Preview = {
  kind: 'diff',
  path: '/w/shop/src/login.ts',
  diff: EDIT_DIFF,
  added: 4,
  removed: 1,
  created: false,
  cut: false,
};
