/** A terminal whose processes the system does not show ends all the same (R5, R11). */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import type { FromPtyHost } from '../../host/adapters/terminals/fromPtyHost';
import { TerminalRun, type TerminalRoom } from '../../host/adapters/terminals/terminalRun';
import { systemClock } from '../../host/base/clock';
import { Places } from '../../host/base/places';
import { free } from './desk';

type About = Extract<FromPtyHost, { readonly id: number }>;

describe('a terminal whose end cannot be seen', () => {
  for (const how of ['ended', 'stopped', 'lost'] as const)
    it(`R5 R11 has a result, and gives its place back (${how})`, async () => {
      const places = new Places(1);
      let hear: (message: About) => void = () => {};
      let gone: () => void = () => {};
      const room: TerminalRoom = {
        clock: systemClock,
        places,
        trees: {
          adopt: () => ({
            env: {},
            follow: () => ({
              end: () => Promise.reject(new Error('spawn ps EMFILE')),
              nudge: () => {},
              release: () => {},
            }),
          }),
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
      if (how === 'ended') hear({ kind: 'exited', id: 1, code: 0 });
      if (how === 'lost') gone();
      if (how === 'stopped') assert.deepEqual(await run.stop('stopped'), { stopped: false, survivors: [] });
      const { output, end } = await run.done;
      assert.deepEqual([output['error'], end?.end], ['tool_failed', 'failed']);
      assert.ok(places.tryTake() !== undefined);
    });
});
