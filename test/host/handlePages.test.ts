/** The output of a handle, page by page: bytes are counted, and characters stay whole. */
import assert from 'node:assert/strict';
import type { HandleId } from '../../protocol';
import { done, scenes, shell } from '../support/scene';

const TEXT = 'aüü€𝄞ü';

describe('pages of a handle', () => {
  const scene = scenes();
  beforeEach(() => scene.host.request('session/update', { session: scene.session, mode: 'full' }));

  /** Goes on as a client does: behind the bytes that it was given. */
  async function paged(handle: HandleId, limit: number): Promise<string> {
    let text = '';
    for (let offset = 0; ;) {
      const page = await scene.host.request('handle/read', { handle, offset, limit });
      assert.equal(page.offset, offset);
      assert.equal(page.total, Buffer.byteLength(TEXT));
      text += page.output;
      offset += Buffer.byteLength(page.output);
      if (page.output === '' || offset >= page.total) return text;
    }
  }

  async function all(handle: HandleId): Promise<void> {
    for (let limit = 1; limit <= 12; limit += 1)
      assert.equal(await paged(handle, limit), TEXT, `pages of ${limit} bytes`);
    const inside = await scene.host.request('handle/read', { handle, offset: 2, limit: 5 });
    assert.deepEqual([inside.output, inside.offset], ['ü', 3]);
  }

  it('X4 of a terminal, while it runs and when it has ended, begin and end with whole characters', async () => {
    const terminal = { tool: 'terminal', args: { command: `printf '${TEXT}'; read x`, yield_ms: 30_000 } };
    scene.server.script([{ calls: [terminal] }, done()]);
    await scene.say('go');
    const { handle } = (await scene.host.next('handle_started')).data;
    await scene.host.next('tool_progress');
    await all(handle);
    await scene.host.request('handle/stop', { handle });
    await scene.host.next('handle_ended');
    await all(handle);
  });

  it('X4 of a command that has ended count bytes, as those of one that runs', async () => {
    scene.server.script([{ calls: [shell(`printf '${TEXT}'`, { background: true })] }, done(), done()]);
    await scene.say('go');
    const { handle } = (await scene.host.next('handle_ended')).data;
    await scene.host.next('turn_ended');
    await all(handle);
  });

  it('R5 X7 of one that has ended, its end is in the lists and in its call, read anew as well as followed', async () => {
    scene.server.script([{ calls: [shell('exit 3', { background: true }, 'c1')] }, done(), done()]);
    await scene.say('go');
    const { handle } = (await scene.host.next('handle_ended')).data;
    await scene.host.next('turn_ended');
    const { snapshot } = await scene.host.request('events/subscribe', {});
    const [listed] = snapshot.handles;
    assert.deepEqual(
      [listed?.id, listed?.state, listed?.end, listed?.exitCode],
      [handle, 'ended', 'exited', 3],
    );
    assert.deepEqual(scene.host.snapshot?.handles, snapshot.handles);
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    const call = items.flatMap(({ parts }) => parts).find((part) => part.kind === 'call');
    assert.ok(call?.kind === 'call');
    const { at: _at, ...end } = call.handle_end ?? assert.fail('no end');
    const { ran_ms, ...how } = end;
    assert.deepEqual(how, { end: 'exited', exit_code: 3 });
    assert.equal(
      ran_ms,
      listed?.endedAt === undefined ? undefined : listed.endedAt - (listed.runningAt ?? 0),
    );
  });
});
