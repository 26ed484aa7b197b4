import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { ToldCalls } from '../../host/adapters/harnesses/toldCalls';
import { askedFor } from '../../host/adapters/harnesses/codexAppServer/mapApprovals';
import { codexExec } from '../../host/adapters/harnesses/codexExec/client';
import { clean } from '../../host/adapters/harnesses/redacting';
import type { AgentProgram, Surroundings } from '../../host/adapters/harnesses/outside';
import { systemClock } from '../../host/base/clock';
import { CordPulled, type Launch } from '../../host/base/launch';
import type { StdioChannel } from '../../host/engine/channelPort';
import type { HarnessEvent } from '../../host/engine/harnessPort';
import { SessionId } from '../../protocol';
import { HandTools } from '../clientTools/support';

/** A program that never ends by itself. */
const endless: AgentProgram = {
  pid: 1,
  ended: new Promise(() => undefined),
  exited: new Promise(() => undefined),
  isRunning: () => true,
  errorText: () => '',
  write: () => undefined,
  askToEnd: () => undefined,
  endInput: () => undefined,
  signal: () => undefined,
  see: () => Promise.resolve(),
  sweep: () => Promise.resolve({ stopped: true, survivors: [] }),
};

describe('codex exec: before its process', () => {
  const open: Launch = (effect) => effect();
  let started: number;
  let closed: number;
  let laidOut: () => void;
  let events: HarnessEvent[];

  function session() {
    [started, closed, events] = [0, 0, []];
    const shim: StdioChannel = {
      command: 'node',
      args: [],
      env: {},
      hidden: [],
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    };
    const around: Surroundings = {
      clock: systemClock,
      log: () => undefined,
      env: process.env,
      platform: process.platform,
      arch: process.arch,
      settings: () => ({ codex: { path: process.execPath } }),
      talk: (_request, launch) => launch(() => (started++, endless)),
      locate: () => Promise.reject(new Error('nothing is located')),
      refusal: () => Promise.resolve(undefined),
      named: () => Promise.resolve({}),
      read: () => Promise.resolve({ kind: 'unparsed', reason: 'shell' }),
      diff: () => ({ kind: 'arguments' }),
      removeEmpty: () => Promise.resolve(false),
      content: () => Promise.resolve({ kind: 'missing' }),
      secrets: () => ({ names: [], values: [] }),
      models: { keep: () => undefined, replaced: new Map() },
      channels: {
        http: () => Promise.reject(new Error('no way')),
        pictures: () => Promise.reject(new Error('no way')),
        relay: () => Promise.reject(new Error('no way')),
        shim: () => new Promise((resolve) => (laidOut = () => resolve(shim))),
      },
    };
    return codexExec.open(
      {
        session: SessionId.parse('s1'),
        harness: 'codex-exec',
        model: undefined,
        mode: 'full',
        folder: tmpdir(),
        resume: undefined,
        sink: (event) => Promise.resolve(void events.push(event)),
      },
      around,
    );
  }

  const ends = () => events.flatMap((event) => (event.kind === 'ended' ? [event.outcome.kind] : []));

  it('T5 H4 a stop while its tools are laid out keeps it from starting, and its channel is closed', async () => {
    const agent = session();
    agent.prompt({ text: 'x', images: [], tools: new HandTools() }, open);
    const stopped = agent.interrupt();
    laidOut();
    await stopped;
    await agent.dispose('superseded');
    assert.deepEqual([started, closed, ends()], [0, 1, ['stopped']]);
  });

  it('H7 one that is let go while its tools are laid out never starts, and is gone only then', async () => {
    const agent = session();
    agent.prompt({ text: 'x', images: [], tools: new HandTools() }, open);
    assert.ok(agent.isBusy());
    let isGone = false;
    const gone = agent.dispose('superseded').then(() => (isGone = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isGone, false);
    laidOut();
    await gone;
    assert.deepEqual([started, closed, ends()], [0, 1, ['stopped']]);
  });

  it('P2 a prompt that the cord keeps back is over: whoever lets the agent go does not wait for it', async () => {
    const agent = session();
    const pulled: Launch = () => {
      throw new CordPulled();
    };
    assert.throws(() => agent.prompt({ text: 'x', images: [], tools: undefined }, pulled), CordPulled);
    await agent.dispose('host_paused');
    assert.equal(started, 0);
  });
});

describe('what an outside agent tells', () => {
  const secret = 'sk-verysecret';
  const asking = { id: 'q', tool: 'ask', title: 'Which?', args: {}, deed: { kind: 'other' } } as const;
  const told: readonly HarnessEvent[] = [
    { kind: 'message', text: `a ${secret}`, reasoning: `b ${secret}` },
    { kind: 'text', text: secret },
    { kind: 'reasoning', text: secret },
    { kind: 'notice', text: secret },
    {
      kind: 'question',
      request: '1',
      call: { ...asking, title: `Is it ${secret}?`, args: { question: secret } },
      asked: { question: `Is it ${secret}?`, server: 'Codex', form: { fields: [] } },
    },
    {
      kind: 'question',
      request: '2',
      call: { ...asking, title: 'Which?', args: { options: [secret] } },
      asked: {
        question: 'Which?',
        server: 'Codex',
        form: {
          fields: [
            {
              kind: 'choice',
              name: 'key',
              title: 'Key',
              required: true,
              options: [{ value: secret, label: secret }],
            },
          ],
        },
      },
    },
    { kind: 'unasked', call: { ...asking, args: { secret } }, detail: `It asked for ${secret}.` },
    {
      kind: 'ended',
      outcome: { kind: 'failed', code: 'agent_failed', detail: `exited: bad key ${secret}` },
      prompted: true,
      goesOn: false,
      work: [],
    },
  ];

  it('X8 no word, thought, notice or sentence of its end holds a key of Belay’s', () => {
    for (const event of told) {
      const cleaned = JSON.stringify(clean(event, () => ({ names: [], values: [secret] })));
      assert.ok(!cleaned.includes(secret), cleaned);
    }
  });

  it('H2 codex’s wish for more permissions is answered with none at once: nobody is asked what no verdict can give', () => {
    const asked = askedFor('item/permissions/requestApproval', { itemId: 'i1' }, new ToldCalls(), '0');
    assert.ok(asked.kind === 'unasked', asked.kind);
    assert.deepEqual(asked.result, { permissions: {}, scope: 'turn' });
    assert.match(asked.detail, /Belay gave none/);
  });
});
