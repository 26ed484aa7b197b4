/** Snapshots to test with. Only what a test is about is named in the test. */
import type { Approval, Handle, Need, Question, Session, Snapshot } from '../../protocol';

export const NOW = 1_790_000_000_000;

type Part<T> = { readonly [K in keyof T]?: unknown };

export function session(part: Part<Session> = {}): Session {
  return {
    id: 's1',
    title: 'Fix login',
    folder: '/w',
    agent: { kind: 'model', model: 'local/m1' },
    mode: 'ask',
    archived: false,
    state: 'idle',
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    createdAt: NOW - 60_000,
    updatedAt: NOW - 60_000,
    ...part,
  } as Session;
}

export function approval(part: Part<Approval> = {}): Approval {
  return {
    id: 'a1',
    session: 's1',
    turn: 't1',
    call: 'call_0_0',
    request: 1,
    tool: 'shell',
    title: 'npm install',
    args: { command: 'npm install' },
    preview: { kind: 'command', command: 'npm install', folder: '/w' },
    why: 'No rule allows this command.',
    offers: [],
    folder: '/w',
    askedAt: NOW - 12_000,
    ...part,
  } as Approval;
}

export function question(part: Part<Question> = {}): Question {
  return {
    id: 'q1',
    session: 's1',
    turn: 't1',
    call: 'call_1_0',
    tool: 'ask',
    title: 'Which database?',
    args: { question: 'Which database?', choices: ['sqlite', 'postgres'] },
    askedAt: NOW - 120_000,
    ...part,
  } as Question;
}

export function handle(part: Part<Handle> = {}): Handle {
  return {
    id: 'proc:7',
    session: 's1',
    turn: 't1',
    call: 'call_0_0',
    kind: 'command',
    title: 'npm run dev',
    folder: '/w',
    lifted: false,
    state: 'running',
    startedAt: NOW - 180_000,
    ...part,
  } as Handle;
}

export const asks = (part: Part<Approval> = {}): Need => ({ kind: 'approval', approval: approval(part) });
export const wonders = (part: Part<Question> = {}): Need => ({ kind: 'question', question: question(part) });

export function snapshot(
  part: Partial<Omit<Snapshot, 'host'>> & { host?: Partial<Snapshot['host']> } = {},
): Snapshot {
  return {
    seq: 1,
    sessions: [session()],
    needs: [],
    handles: [],
    unread: [],
    servers: [],
    ...part,
    host: { paused: false, epoch: 0, ended: [], quiet: true, readOnly: false, trusted: true, ...part.host },
  };
}
