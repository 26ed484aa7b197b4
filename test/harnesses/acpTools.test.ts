/** What is opened for an ACP agent's client tools, and the end of its process (R5, X6). */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { acp } from '../../host/adapters/harnesses/acp/client';
import type { AgentEnd, AgentProgram, Surroundings } from '../../host/adapters/harnesses/outside';
import { systemClock } from '../../host/base/clock';
import type { HarnessEvent } from '../../host/engine/harnessPort';
import { SessionId } from '../../protocol';
import { HandTools } from '../clientTools/support';

/** A promise that a test settles. */
function hand() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve: () => resolve() };
}

describe('an ACP agent that ends while its tool server is being opened', () => {
  it('R5 leaves no server behind: what is opened late is closed, and only then is the agent gone', async () => {
    let exit: (end: AgentEnd) => void = () => undefined;
    let open: () => void = () => undefined;
    const asked = hand();
    const gone = hand();
    let closed = 0;
    const events: HarnessEvent[] = [];
    const ended = new Promise<AgentEnd>((resolve) => (exit = resolve));
    const around: Surroundings = {
      clock: systemClock,
      log: () => undefined,
      env: process.env,
      platform: process.platform,
      arch: process.arch,
      settings: () => ({ acp: { puppet: { command: process.execPath } } }),
      talk: (_request, launch, onOutput) =>
        launch((): AgentProgram => {
          return {
            pid: 1,
            ended,
            exited: ended.then(() => undefined),
            isRunning: () => true,
            errorText: () => '',
            write: (start, text) =>
              start(() => {
                const { id } = JSON.parse(text) as { id: number };
                const agentCapabilities = { mcpCapabilities: { http: true } };
                const result = { protocolVersion: 1, agentCapabilities };
                void onOutput(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`));
              }),
            askToEnd: () => undefined,
            endInput: () => undefined,
            signal: () => undefined,
            see: () => Promise.resolve(),
            sweep: () => Promise.resolve({ stopped: true, survivors: [] }),
          };
        }),
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
        http: () => {
          asked.resolve();
          return new Promise((resolve) => {
            open = () =>
              resolve({
                url: 'http://127.0.0.1:1',
                token: 't',
                close: () => {
                  closed += 1;
                  return Promise.resolve();
                },
              });
          });
        },
        pictures: () => Promise.reject(new Error('no way')),
        relay: () => Promise.reject(new Error('no way')),
        shim: () => Promise.reject(new Error('no way')),
      },
    };
    const session = acp.open(
      {
        session: SessionId.parse('s1'),
        harness: 'acp:puppet',
        model: undefined,
        mode: 'ask',
        folder: tmpdir(),
        resume: undefined,
        sink: (event) => {
          events.push(event);
          if (event.kind === 'gone') gone.resolve();
          return Promise.resolve();
        },
      },
      around,
    );
    session.prompt({ text: 'x', images: [], tools: new HandTools() }, (effect) => effect());
    await asked.promise;
    exit({ code: 1, signal: null, error: undefined });
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(!events.some((event) => event.kind === 'gone'));
    open();
    await gone.promise;
    assert.equal(closed, 1);
  });
});
