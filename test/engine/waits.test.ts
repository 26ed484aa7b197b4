import assert from 'node:assert/strict';
import { IMAGES_PER_MESSAGE, SHOWN_BYTES, type SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

describe('wait, and what is told of an end', () => {
  let rig: Rig;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('full');
    await rig.send(session, 'go');
    await rig.quiet();
    await answer(['b1', 'gated', { background: true }], ['b2', 'gated', { background: true }]);
    assert.equal(rig.runs.length, 2);
  });
  afterEach(() => rig.close());

  async function answer(...calls: [string, string, object?][]) {
    rig.answers[0]?.give({ text: 'x', calls: calls.map(([id, tool, args]) => plannedCall(id, tool, args)) });
    await rig.quiet();
  }
  const wait = (args: object, id = 'w') => answer([id, 'wait', args]);
  const result = (call: string) =>
    rig.events.flatMap((event) =>
      event.type === 'tool_completed' && event.data.call_id === call
        ? [event.data.result as Record<string, unknown>]
        : [],
    )[0];
  const imagesOf = (call: string) =>
    rig.events.flatMap((event) =>
      event.type === 'tool_completed' && event.data.call_id === call ? (event.data.images ?? []) : [],
    );
  const both = ['proc:1', 'proc:2'];

  it('waits for all, parked, and hands over each result; a second wait gets them again (L10)', async () => {
    await wait({ handles: both });
    assert.equal(rig.snapshot.sessions[0]?.state, 'waiting');
    rig.runs[0]?.finish({ stdout: 'one' });
    await rig.quiet();
    assert.equal(result('w'), undefined);
    rig.runs[0]?.finish({ stdout: 'two' });
    await rig.quiet();
    const results = result('w')?.['results'] as Record<string, Record<string, unknown>>;
    assert.deepEqual([results['proc:1']?.['stdout'], results['proc:2']?.['stdout']], ['one', 'two']);
    assert.deepEqual(result('w')?.['pending'], []);
    await wait({ handles: both }, 'again');
    assert.deepEqual(result('again'), result('w'));
  });

  it('L10 R10 hands over one alone whole, and several in the bytes of one result', async () => {
    const long = 'é'.repeat(30_000);
    rig.runs[0]?.finish({ stdout: long, stderr: 'short' });
    rig.runs[0]?.finish({ content: Array.from({ length: 4_000 }, (_, n) => `"item ${String(n)}"`) });
    await rig.quiet();
    await wait({ handles: ['proc:1', 'proc:1', 'proc:2'] });
    const told = result('w')?.['results'] as Record<string, Record<string, unknown>>;
    assert.ok(Buffer.byteLength(JSON.stringify(told)) <= SHOWN_BYTES);
    assert.match(String(told['proc:1']?.['stdout']), /^é+\n\[… \d+ bytes omitted …\]\né+$/);
    assert.equal(told['proc:1']?.['stderr'], 'short');
    assert.match(String(told['proc:2']?.['output']), /item 0.*omitted.*item 3999/s);
    for (const id of both) {
      assert.match(String(told[id]?.['cut']), /wait for this handle alone/);
      assert.equal(told[id]?.['exit_code'], 0);
    }
    await wait({ handles: ['proc:1'] }, 'alone');
    const alone = result('alone')?.['results'] as Record<string, unknown>;
    assert.deepEqual(alone['proc:1'], { stdout: long, stderr: 'short', ended: 'exited', exit_code: 0 });
  });

  it('R10 gives what a short one leaves to a long one, and all pictures of several only as far as one result has', async () => {
    const dot = { mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const long = 'x'.repeat(60_000);
    rig.runs[0]?.finish({ stdout: long }, Array(IMAGES_PER_MESSAGE).fill(dot));
    rig.runs[0]?.finish({ stdout: 'short' }, [dot]);
    await rig.quiet();
    await wait({ handles: both });
    const told = result('w')?.['results'] as Record<string, Record<string, unknown>>;
    assert.equal(told['proc:1']?.['stdout'], long);
    assert.deepEqual(Object.keys(told['proc:2'] ?? {}), ['stdout', 'ended', 'exit_code', 'cut']);
    assert.equal(imagesOf('w').length, IMAGES_PER_MESSAGE);
  });

  it('L7 hands over pictures beside the words, and leaves an output with `parts` of its own whole', async () => {
    const dot = { mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    rig.runs[0]?.finish({ path: 'a.png' }, [dot]);
    rig.runs[0]?.finish({ parts: [1, 2] });
    await rig.quiet();
    await wait({ handles: both });
    const results = result('w')?.['results'] as Record<string, unknown>;
    assert.deepEqual(results['proc:1'], {
      path: 'a.png',
      parts: [{ type: 'image', mediaType: 'image/png' }],
      ended: 'exited',
      exit_code: 0,
    });
    assert.deepEqual(results['proc:2'], { output: { parts: [1, 2] }, ended: 'exited', exit_code: 0 });
    const told = rig.answers[0]?.items.find((item) => item.kind === 'result' && item.callId === 'w');
    assert.deepEqual(told?.kind === 'result' && told.images, [dot]);
  });

  it('L13 a later call with the id of a lifted one is put afresh, and its end clears only itself', async () => {
    const asking = await rig.session('ask');
    const ask = async (n: number) => {
      await rig.send(asking, `go ${String(n)}`);
      await rig.quiet();
      rig.answers.at(-1)?.give({ calls: [plannedCall('same', 'gated', { n })] });
      await rig.quiet();
    };
    await ask(1);
    await rig.send(asking, 'wait');
    await rig.advance(250);
    rig.answers.at(-1)?.give({ text: 'done' });
    await rig.quiet();
    await ask(2);
    const open = () =>
      rig.snapshot.needs.flatMap((need) =>
        need.kind === 'approval' ? [[need.approval.turn, need.approval.handle]] : [],
      );
    const [first, second] = open();
    assert.equal(first?.[1], 'proc:3');
    assert.equal(second?.[1], undefined);
    const later = rig.snapshot.needs[1];
    assert.ok(later?.kind === 'approval');
    await rig.engine.verdict({
      approval: later.approval.id,
      request: 1,
      decision: 'deny',
      reason: undefined,
      scope: 'once',
      by: 'one',
    });
    await rig.quiet();
    assert.deepEqual(open(), [first]);
    assert.deepEqual(rig.readSnapshot().needs, rig.snapshot.needs);
  });

  it('with `any` answers on the first, and names the rest as pending', async () => {
    await wait({ handles: both, any: true });
    rig.runs[1]?.finish({ stdout: 'two' });
    await rig.quiet();
    assert.deepEqual(Object.keys(result('w')?.['results'] as object), ['proc:2']);
    assert.deepEqual(result('w')?.['pending'], ['proc:1']);
  });

  it('polls with a time of 0, and ends at its deadline with what is pending', async () => {
    await wait({ handles: both, timeout_ms: 0 });
    assert.deepEqual(result('w'), { results: {}, pending: both });
    await wait({ handles: both, timeout_ms: 5_000 }, 'later');
    assert.equal(result('later'), undefined);
    await rig.advance(5_000);
    assert.deepEqual(result('later'), { results: {}, pending: both });
  });

  it('an unknown handle, one of another session and more than 64 are results that the model reads', async () => {
    const other = await rig.session('full');
    await wait({ handles: ['proc:99', 'proc:x'] });
    const results = result('w')?.['results'] as Record<string, Record<string, unknown>>;
    assert.deepEqual(
      Object.values(results).map((one) => one['error']),
      ['handle_unknown', 'handle_unknown'],
    );
    await wait({ handles: Array.from({ length: 65 }, (_none, n) => `proc:${String(n + 1)}`) }, 'many');
    assert.equal(result('many')?.['error'], 'tool_arguments_invalid');
    await rig.send(other, 'go');
    await rig.quiet();
    rig.answers[1]?.give({ calls: [plannedCall('w', 'wait', { handles: ['proc:1'] })] });
    await rig.quiet();
    const foreign = rig.events.flatMap((event) =>
      event.type === 'tool_completed' && event.session === other
        ? [event.data.result as { results: Record<string, { error?: string }> }]
        : [],
    )[0];
    assert.equal(foreign?.results['proc:1']?.error, 'handle_unknown');
  });

  it('after a crash a parked wait is told that what it waited for was lost, and its turn goes on (T10, R3)', async () => {
    await wait({ handles: both });
    await rig.crash();
    await rig.quiet();
    const results = result('w')?.['results'] as Record<string, Record<string, unknown>>;
    assert.deepEqual(
      Object.values(results).map((one) => [one['error'], one['ended']]),
      [
        ['lost', 'lost'],
        ['lost', 'lost'],
      ],
    );
    assert.equal(rig.answers.length, 1, 'the model is asked with it');
  });

  it('L10 an end is told with its first 2,048 bytes, whole characters, and wakes the idle session', async () => {
    await answer();
    assert.equal(rig.snapshot.sessions[0]?.state, 'idle');
    rig.runs[0]?.finish({ stdout: 'ä'.repeat(2_000) });
    await rig.quiet();
    const note = rig.events.find((event) => event.type === 'note_told');
    assert.ok(note?.type === 'note_told');
    const told = /ä+/.exec(note.data.text)?.[0] ?? '';
    assert.equal(Buffer.byteLength(told), 2_048);
    assert.match(note.data.text, /1952 more bytes/);
    assert.equal(rig.answers.length, 1);
    assert.equal(rig.answers[0]?.items.at(-1)?.kind, 'user');
  });

  it('L10 with the setting off an idle session is not woken, and is told with its next turn', async () => {
    rig.settings = { ...rig.settings, wakeIdleSession: false };
    await answer();
    rig.runs[0]?.finish({ stdout: 'end' });
    await rig.quiet();
    assert.equal(rig.answers.length, 0);
    await rig.send(session, 'and?');
    await rig.quiet();
    const said = rig.answers[0]?.items.flatMap((item) => (item.kind === 'user' ? [item.text] : []));
    assert.match(said?.at(-1) ?? '', /proc:1/);
  });

  it('L7 an allowed lifted call runs with the folder and the mode of its turn, not of the session now', async () => {
    rig.settings = { ...rig.settings, holdMs: 0 };
    const asking = await rig.session('ask');
    await rig.send(asking, 'go');
    await rig.quiet();
    rig.answers.at(-1)?.give({ calls: [plannedCall('c', 'gated', { n: 9 })] });
    await rig.quiet();
    await rig.send(asking, 'wait');
    await rig.quiet();
    rig.answers.at(-1)?.give({ text: 'done' });
    await rig.quiet();
    await rig.engine.changeSession(asking, { mode: 'full' });
    await rig.quiet();
    const need = rig.snapshot.needs[0];
    assert.ok(need?.kind === 'approval', 'the mode of now does not decide it');
    await rig.engine.verdict({
      approval: need.approval.id,
      request: 1,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'one',
    });
    await rig.quiet();
    assert.equal(rig.runs.at(-1)?.call, 'c');
    assert.equal(rig.runs.at(-1)?.folder, rig.dir);
  });
});
