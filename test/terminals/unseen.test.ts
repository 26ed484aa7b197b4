/** A terminal whose processes the system does not show ends all the same (R5, R11). */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import type { FromPtyHost } from '../../host/adapters/terminals/fromPtyHost';
import { TerminalRun, type TerminalRoom } from '../../host/adapters/terminals/terminalRun';
import { systemClock } from '../../host/base/clock';
import { Places } from '../../host/base/places';
import { free } from './desk';

type About = Extract<FromPtyHost, { readonly id: number }>;

type End = () => Promise<{ readonly stopped: boolean; readonly survivors: readonly number[] }>;

/** A terminal on a PTY host that is played, and whose tree ends as `end` says. */
async function opened(end: End) {
  const places = new Places(1);
  let hear: (message: About) => void = () => {};
  let gone: () => void = () => {};
  const room: TerminalRoom = {
    clock: systemClock,
    places,
    trees: {
      adopt: () => ({ env: {}, follow: () => ({ end, nudge: () => {}, release: () => {} }) }),
    },
    secrets: () => ({ names: [], values: [] }),
    channel: () =>
      Promise.resolve({
        listen: (_id, listener, onGone) => {
          [hear, gone] = [(message) => listener(message, undefined), onGone];
          return () => {};
        },
        tell: (message) => {
          if (message.kind === 'open') hear({ kind: 'opened', id: message.id, pid: 1 });
        },
        kill: () => {},
      }),
    nextId: () => 1,
    epoch: () => 1,
  };
  const shell = { file: '/bin/sh', args: [], env: {} };
  const request = { shell, isShell: false, folder: tmpdir(), cols: 80, rows: 24 };
  const run = new TerminalRun(request, room, free, () => {});
  await run.terminal.started;
  return { run, places, hear: (message: About) => hear(message), gone: () => gone() };
}

describe('a terminal whose end cannot be seen', () => {
  for (const how of ['ended', 'stopped', 'lost'] as const)
    it(`R5 R11 has a result, and gives its place back (${how})`, async () => {
      const { run, places, hear, gone } = await opened(() => Promise.reject(new Error('spawn ps EMFILE')));
      if (how === 'ended') hear({ kind: 'exited', id: 1, code: 0 });
      if (how === 'lost') gone();
      if (how === 'stopped') assert.deepEqual(await run.stop('stopped'), { stopped: false, survivors: [] });
      const { output, end } = await run.done;
      assert.deepEqual([output['error'], end?.end], ['tool_failed', 'failed']);
      assert.ok(places.tryTake() !== undefined);
    });

  it('X5 says that it could not be seen, and names the survivors where there are any', async () => {
    const detailOf = async (survivors: readonly number[]) => {
      const { run } = await opened(() => Promise.resolve({ stopped: false, survivors }));
      await run.stop('stopped');
      return (await run.done).output['detail'];
    };
    assert.equal(
      await detailOf([]),
      'The terminal was stopped. Whether all that it had started has ended could not be seen.',
    );
    assert.equal(await detailOf([4711]), 'The terminal was stopped. Still running: 4711.');
  });
});
