/** Outside agents that play by themselves, and what they have read. Owns the stage that they come from. */
import * as claude from '../support/agents/claudeWords';
import * as exec from '../support/agents/codexWords';
import * as codex from '../support/agents/serverWords';
import { Stage, type Puppet } from '../support/agents/stage';

/** Something that an agent has read: a prompt, or that what it asked for is allowed. */
export type Heard = 'prompt' | 'allowed';

type Message = Readonly<Record<string, unknown>>;

/** The words in a prompt at which the agent asks before it answers. */
export const ASK_FIRST = 'ask first';

export class Troupe {
  private readonly heard = new Map<string, Heard[]>();
  /** Those that were told to end while they are kept. */
  private leaving: Puppet[] = [];
  private isKept = false;
  private isClosed = false;

  private constructor(private readonly stage: Stage) {
    void this.play();
  }

  static async open(): Promise<Troupe> {
    return new Troupe(await Stage.open());
  }

  /** As it stands in `harnesses`. */
  settings(): object {
    const { stage } = this;
    const { env } = stage;
    return {
      acp: { puppet: { command: stage.program('acp'), args: ['--acp'], env } },
      codex: { path: stage.program('codex'), env },
      claude: { path: stage.program('claude'), env },
    };
  }

  /** What the agents that worked in a folder have read, in order. */
  of(folder: string): readonly Heard[] {
    return this.heard.get(folder) ?? [];
  }

  /** From now on they do not end when they are told to: what reaches them although it must not, finds them there. */
  keep(): void {
    this.isKept = true;
  }

  letGo(): void {
    this.isKept = false;
    for (const puppet of this.leaving) void puppet.die('SIGKILL');
    this.leaving = [];
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.stage.close();
  }

  private async play(): Promise<void> {
    while (!this.isClosed) {
      const puppet = await this.stage.next();
      const heard = this.heard.get(puppet.cwd) ?? [];
      this.heard.set(puppet.cwd, heard);
      const part: Part = {
        puppet,
        note: (one) => heard.push(one),
        leave: async () => {
          if (this.isKept) this.leaving.push(puppet);
          else await puppet.die('SIGKILL');
        },
      };
      void puppet.until(() => puppet.signals[0]).then(part.leave);
      void roleOf(puppet)(part);
    }
  }
}

interface Part {
  readonly puppet: Puppet;
  readonly note: (heard: Heard) => void;
  /** It was told to end. */
  readonly leave: () => Promise<void>;
}

function roleOf({ argv }: Puppet): (part: Part) => Promise<void> {
  if (argv.includes('exec')) return playExec;
  if (argv.includes('--acp')) return (part) => converse(part, acpReader(part));
  if (argv.includes('app-server')) return (part) => converse(part, codexReader(part));
  return (part) => converse(part, claudeReader(part));
}

/** It reads its prompt to the end of its input, answers and ends. */
async function playExec({ puppet, note, leave }: Part): Promise<void> {
  if ((await puppet.input()) === '') return leave();
  note('prompt');
  await exec.plain(puppet);
}

/** It lives until its input ends. */
async function converse({ puppet, leave }: Part, read: (message: Message) => Promise<void>): Promise<void> {
  void puppet.until(() => puppet.eof || undefined).then(leave);
  for (;;) await read(await puppet.message());
}

function acpReader({ puppet, note, leave }: Part): (message: Message) => Promise<void> {
  let prompt: unknown;
  let asks = false;
  const reply = (id: unknown, result: object) => puppet.say({ jsonrpc: '2.0', id, result });
  const end = async (stopReason: string) => {
    const id = prompt;
    prompt = undefined;
    if (id !== undefined) await reply(id, { stopReason });
  };
  return async ({ id, method, params, result }) => {
    switch (method) {
      case 'initialize':
        return reply(id, { protocolVersion: 1, agentCapabilities: { loadSession: true } });
      case 'session/new':
        return reply(id, { sessionId: 'acp-1' });
      case 'session/load':
        return reply(id, {});
      case 'session/prompt':
        note('prompt');
        prompt = id;
        asks = JSON.stringify(params).includes(ASK_FIRST);
        return asks ? puppet.say(PERMISSION) : end('end_turn');
      case 'session/cancel':
        // What it asks for is answered before it ends.
        return asks ? undefined : leave();
      default: {
        asks = false;
        const isAllowed = JSON.stringify(result ?? {}).includes('"selected"');
        if (isAllowed) note('allowed');
        return end(isAllowed ? 'end_turn' : 'cancelled');
      }
    }
  };
}

const PERMISSION = {
  jsonrpc: '2.0',
  id: 0,
  method: 'session/request_permission',
  params: {
    sessionId: 'acp-1',
    toolCall: { toolCallId: 'c1', kind: 'execute', rawInput: { command: 'touch a' }, title: '`touch a`' },
    options: [
      { kind: 'allow_once', name: 'Allow', optionId: 'once' },
      { kind: 'reject_once', name: 'Reject', optionId: 'no' },
    ],
  },
};

function claudeReader({ puppet, note }: Part): (message: Message) => Promise<void> {
  return async ({ type, request_id: request }) => {
    if (type === 'control_request') return puppet.say(claude.confirmed(request));
    if (type !== 'user') return;
    note('prompt');
    await puppet.say(claude.init(), claude.said('Done.'), claude.result('Done.'));
  };
}

function codexReader({ puppet, note, leave }: Part): (message: Message) => Promise<void> {
  const reply = (id: unknown, result: object) => puppet.say({ id, result });
  return async ({ id, method }) => {
    switch (method) {
      case 'thread/start':
      case 'thread/resume':
        return reply(id, { thread: { id: codex.THREAD } });
      case 'turn/start':
        note('prompt');
        await reply(id, { turn: { id: codex.TURN, status: 'inProgress' } });
        return puppet.say(
          codex.turnTold('turn/started', 'inProgress'),
          codex.item('completed', codex.words('a1', 'Done.')),
          codex.turnTold('turn/completed', 'completed'),
        );
      case 'turn/interrupt':
      case 'thread/backgroundTerminals/list':
        return leave();
      default:
        if (id !== undefined && method !== undefined) await reply(id, {});
    }
  };
}
