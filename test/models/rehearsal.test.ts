/** The rehearsal on the demo workspace, with its calls really made on a copy, and what people do to it on the way. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContextItem, PlannedCall } from '../../protocol';
import { CordPulled } from '../../host/base/launch';
import { nextStep, type PlannedStep, type Step } from '../../host/adapters/models/rehearsalPlan';
import { startModelServer } from '../support/modelServer';
import { callOf, handClock, modelsFor, run, user } from './bench';

const OFFERED = new Set(['read', 'list', 'find', 'search', 'write', 'edit', 'shell', 'ask', 'note', 'wait']);

type Output = Record<string, unknown>;
/** Answers a call in the place of the workspace; undefined lets it run. */
type Person = (call: PlannedStep, round: number) => Output | undefined;

describe('models: the rehearsal', function () {
  // Each play runs the demo's tests several times.
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-rehearsal-'));
    cpSync(join(__dirname, '../../extension/demo'), folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const agreeable: Person = ({ tool }) => (tool === 'ask' ? { answer: 'Yes, add it' } : undefined);

  /** Plays a task to its end, or to `rounds`; returns the transcript and the steps. */
  function play(
    person: Person,
    {
      items = [user('the cart total test fails, find out why and mend it')],
      offered = OFFERED,
      rounds = 20,
    } = {},
  ): { items: ContextItem[]; steps: Step[] } {
    const transcript = [...items];
    const steps: Step[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const step = nextStep(transcript, offered);
      steps.push(step);
      const calls: PlannedCall[] = step.calls.map((call, n) => ({
        callId: `call_${transcript.length}_${n}`,
        tool: call.tool,
        args: JSON.stringify(call.args),
      }));
      transcript.push({ kind: 'assistant', text: step.text, calls });
      if (calls.length === 0) return { items: transcript, steps };
      step.calls.forEach((call, n) => {
        const output = person(call, round) ?? perform(folder, call);
        const callId = calls[n]?.callId ?? '';
        transcript.push({
          kind: 'result',
          callId,
          tool: call.tool,
          output: JSON.stringify(output),
          failed: 'error' in output,
        });
      });
    }
    return { items: transcript, steps };
  }
  const tools = (steps: readonly Step[]): string[] =>
    steps.map(({ calls }) => calls.map(({ tool }) => tool).join('+'));
  const last = (steps: readonly Step[]): string => steps.at(-1)?.text ?? '';
  const passes = (): boolean => spawnSync('node', ['--test'], { cwd: folder, env: clean }).status === 0;

  it('mends the failing test of the demo, asks, and adds a test that passes', () => {
    assert.equal(passes(), false);
    const { steps } = play(agreeable);
    assert.deepEqual(tools(steps), [
      'list+read+read',
      'shell',
      'read',
      'read+search',
      'edit',
      'shell',
      'ask',
      'read',
      'edit',
      'shell',
      '',
    ]);
    assert.match(steps[0]?.text ?? '', /^Rehearsal: no AI is involved/);
    assert.match(last(steps), /All tests pass, the new one too\.[\s\S]*Rehearsal: no AI was involved/);
    assert.match(last(steps), /\n- [^\n]*\n\nChoose a real model/, 'what to do next is no part of the list');
    assert.match(readFileSync(join(folder, 'src/cart.js'), 'utf8'), /pieces >= bulkPieces/);
    assert.match(
      readFileSync(join(folder, 'test/cart.test.js'), 'utf8'),
      /nine pieces[^]*pieces: 9 \}\]\), 405\)/,
    );
    assert.equal(passes(), true);
  });

  it('guards with its test what it has mended', () => {
    play(agreeable);
    const cart = join(folder, 'src/cart.js');
    writeFileSync(cart, readFileSync(cart, 'utf8').replace('>= bulkPieces', '>= bulkPieces - 1'));
    assert.equal(passes(), false);
  });

  it('adds nothing when the answer is no', () => {
    const before = readFileSync(join(folder, 'test/cart.test.js'), 'utf8');
    const { steps } = play(({ tool }) => (tool === 'ask' ? { answer: 'No, leave it' } : undefined));
    assert.match(last(steps), /I add no test/);
    assert.equal(readFileSync(join(folder, 'test/cart.test.js'), 'utf8'), before);
  });

  it('goes on by reading when the command is denied, and does not say that it was checked', () => {
    const { steps } = play(({ tool }) =>
      tool === 'shell' ? { error: 'approval_denied', detail: 'not now' } : undefined,
    );
    assert.match(steps[2]?.text ?? '', /You denied `npm test` \(not now\)/);
    assert.equal(tools(steps).filter((tool) => tool === 'shell').length, 1);
    assert.match(last(steps), /not checked/);
    assert.match(readFileSync(join(folder, 'src/cart.js'), 'utf8'), />=/);
  });

  it('leaves the file alone when the edit is denied, shows the change and asks what instead', () => {
    const refuse: Person = ({ tool }) =>
      tool === 'edit'
        ? { error: 'approval_denied', detail: '' }
        : tool === 'ask'
          ? { answer: 'No, leave it' }
          : undefined;
    const { steps } = play(refuse);
    assert.deepEqual(tools(steps).slice(-3), ['edit', 'ask', '']);
    assert.match(steps.at(-2)?.text ?? '', /You denied edit src\/cart\.js[^]*\+ pieces >= bulkPieces/);
    assert.match(readFileSync(join(folder, 'src/cart.js'), 'utf8'), /pieces > bulkPieces/);
  });

  it('asks for a denied edit once more when told to', () => {
    let edits = 0;
    const { steps } = play(({ tool }) => {
      if (tool === 'ask') return { answer: edits === 1 ? 'Ask me again' : 'No' };
      if (tool === 'edit' && (edits += 1) === 1) return { error: 'approval_denied', detail: '' };
      return undefined;
    });
    assert.equal(edits, 2);
    assert.match(last(steps), /edit src\/cart\.js: approval denied[^]*edit src\/cart\.js: done/);
  });

  it('reads a message in the middle, says what still waits, goes on, and collects it where it needs it', () => {
    const lifted = { handle: 'proc:7', background: true, steered: true, waits_for: 'approval' };
    const first = play(({ tool }) => (tool === 'shell' ? lifted : undefined), { rounds: 2 });
    const items = [...first.items, user('first tell me what it does')];
    const said = nextStep(items, OFFERED);
    assert.match(said.text, /You wrote: "first tell me what it does"/);
    assert.match(said.text, /`npm test` still waits for your verdict as proc:7; nothing was cancelled/);
    assert.deepEqual(
      said.calls.map(({ tool }) => tool),
      ['list'],
    );

    const output = run7(folder);
    const person: Person = ({ tool, args }) => {
      if (tool === 'wait') {
        assert.deepEqual(args['handles'], ['proc:7']);
        return { results: { 'proc:7': { ...run7(folder), ended: 'exited' } }, pending: [] };
      }
      return agreeable({ tool, args }, 0);
    };
    const rest = play(person, { items });
    assert.equal(output['success'], false);
    assert.equal(tools(rest.steps).filter((tool) => tool === 'wait').length, 1);
    assert.match(last(rest.steps), /All tests pass, the new one too/);
  });

  it('ends the turn when a message lifts its wait, and goes on when it is told of the end', () => {
    const lifted = { handle: 'proc:7', background: true, steered: true, waits_for: 'approval' };
    const first = play(({ tool }) =>
      tool === 'shell'
        ? lifted
        : tool === 'wait'
          ? { results: {}, pending: ['proc:7'], steered: true }
          : undefined,
    );
    assert.deepEqual(tools(first.steps).slice(-2), ['wait', '']);
    assert.match(last(first.steps), /when I am told of the end of proc:7/);
    const note = user(`[proc:7 "npm test": exited with code 0]\n# pass 6\n# fail 0\n`);
    const woken = play(agreeable, { items: [...first.items, note] });
    assert.match(woken.steps[0]?.text ?? '', /I was told: \[proc:7 "npm test": exited with code 0\]/);
    assert.match(last(woken.steps), /All tests pass, the new one too/);
  });

  it('takes a denial that comes by note as one', () => {
    const lifted = { handle: 'proc:7', background: true, steered: true, waits_for: 'approval' };
    const first = play(({ tool }) => (tool === 'shell' ? lifted : undefined), { offered: without('wait') });
    const note = user(`[proc:7 "npm test": denied]\n{"error":"approval_denied","detail":"no"}`);
    const { steps } = play(agreeable, { items: [...first.items, note], offered: without('wait') });
    assert.match(last(steps), /`npm test`: approval denied/);
  });

  it('asks once more for what a pause has ended, and not a third time', () => {
    const { steps } = play(({ tool }) =>
      tool === 'shell' ? { error: 'host_paused', detail: '', stdout: 'x' } : undefined,
    );
    assert.match(steps[2]?.text ?? '', /The pause ended `npm test`/);
    assert.equal(tools(steps).filter((tool) => tool === 'shell').length, 2);
  });

  it('leaves an open question open', () => {
    const lifted = { handle: 'proc:9', background: true, steered: true, waits_for: 'answer' };
    const { steps } = play(({ tool }) => (tool === 'ask' ? lifted : undefined));
    assert.match(last(steps), /The question stays open as proc:9/);
  });

  it('stops when it is told to', () => {
    const { items } = play(agreeable, { rounds: 3 });
    const step = nextStep([...items, user('please stop')], OFFERED);
    assert.deepEqual(step.calls, []);
    assert.match(step.text, /I stop here/);
  });

  it('begins anew with the next task, and finds nothing to mend', () => {
    const first = play(agreeable);
    const { steps } = play(agreeable, { items: [...first.items, user('and again')] });
    assert.deepEqual(tools(steps), ['list+read+read', 'shell', '']);
    assert.match(last(steps), /nothing to mend/);
  });

  it('looks around in any other workspace, asks, and does one harmless thing', () => {
    for (const file of ['package.json', 'src', 'test']) rmSync(join(folder, file), { recursive: true });
    writeFileSync(join(folder, 'notes.txt'), 'TODO: buy milk\n');
    for (const [answer, expected] of [
      ['Search for TODO and FIXME', ['list+read+read', 'ask', 'search', '']],
      ['Run a harmless command', ['list+read+read', 'ask', 'shell', '']],
      ['something else', ['list+read+read', 'ask', '']],
    ] as const) {
      const { steps } = play(({ tool }) => (tool === 'ask' ? { answer } : undefined));
      assert.deepEqual(tools(steps), expected);
      assert.match(last(steps), /A real model would/);
    }
  });

  it('says so when the session lacks the tools', () => {
    const { steps } = play(agreeable, { offered: new Set(['read', 'list']) });
    assert.match(last(steps), /does not have the tools/);
  });

  it('is the same for the same transcript, whatever the transcript is', () => {
    for (const items of [
      [],
      [user('')],
      [user('[proc:1 "x": exited with code 0]\n')],
      [{ kind: 'assistant' as const, text: 'x', calls: [] }],
    ]) {
      assert.deepEqual(nextStep(items, OFFERED), nextStep(items, OFFERED));
    }
  });
});

describe('models: the rehearsal as a model', () => {
  it('streams in small pieces by the clock, without any request', async () => {
    const server = await startModelServer();
    const clock = handClock();
    const models = modelsFor(server, 'openai-compatible', { clock });
    const call = callOf({ model: 'rehearsal/demo', items: [user('go')], tools: [...OFFERED].map(named) });
    let count = 0;
    const answering = run(models, call, { onPiece: () => (count += 1) });
    while (count < 5) await step(clock);
    const early = count;
    const settled = await Promise.race([answering, step(clock)]);
    assert.equal(settled, undefined);
    const over = new AbortController();
    void answering.then(() => over.abort());
    while (!over.signal.aborted) await step(clock);
    const { answer, pieces } = await answering;
    assert.ok(pieces.length > early + 5);
    assert.match(answer.text, /no AI is involved/);
    assert.deepEqual(
      answer.calls.map(({ callId, tool }) => `${callId} ${tool}`),
      ['call_0 list', 'call_1 read', 'call_2 read'],
    );
    assert.equal(answer.stop, 'calls');
    assert.equal(server.requests.length, 0);
    assert.ok(
      (await models.list()).items.some(
        ({ id, ready, note }) => id === 'rehearsal/demo' && ready && note?.includes('no AI'),
      ),
    );
    await server.stop();
  });

  it('P2, P4: starts nothing while the cord is pulled, and ends at once when it is', async () => {
    const server = await startModelServer();
    const clock = handClock();
    const models = modelsFor(server, 'openai-compatible', { clock });
    const call = callOf({ model: 'rehearsal/demo', items: [user('go')] });
    const launch = (): never => {
      throw new CordPulled();
    };
    await assert.rejects(run(models, call, { launch }), (error) => error instanceof CordPulled);
    const controller = new AbortController();
    const answering = run(models, call, { signal: controller.signal });
    await step(clock);
    controller.abort('host_paused');
    await assert.rejects(answering, (error) => error === 'host_paused');
    assert.equal(clock.set, 0);
    await server.stop();
  });
});

const without = (tool: string): Set<string> => new Set([...OFFERED].filter((name) => name !== tool));
const named = (
  name: string,
): { name: string; description: string; schema: object } & { schema: Record<string, unknown> } => ({
  name,
  description: '',
  schema: {},
});

/** Lets what is due happen, and what follows from it. */
async function step(clock: ReturnType<typeof handClock>): Promise<void> {
  clock.pass(25);
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
}

/** Mocha's own settings for test runs would change what a child run prints. */
const clean = { PATH: process.env['PATH'] };

function run7(folder: string): Output {
  return perform(folder, { tool: 'shell', args: { command: 'node --test' } });
}

/** The tools as Belay has them, as far as the rehearsal uses them. */
function perform(folder: string, { tool, args }: PlannedStep): Output {
  const path = join(folder, typeof args['path'] === 'string' ? args['path'] : '.');
  switch (tool) {
    case 'list':
      return {
        entries: readdirSync(path, { withFileTypes: true }).map(
          (entry) => entry.name + (entry.isDirectory() ? '/' : ''),
        ),
      };
    case 'read':
      return existsSync(path)
        ? { text: readFileSync(path, 'utf8') }
        : { error: 'tool_failed', detail: 'missing' };
    case 'search':
      return { matches: [] };
    case 'edit': {
      const text = readFileSync(path, 'utf8');
      assert.equal(text.split(String(args['old'])).length, 2, 'old stands exactly once');
      writeFileSync(
        path,
        text.replace(String(args['old']), () => String(args['new'])),
      );
      return { replaced: 1 };
    }
    case 'shell': {
      const [program = '', ...rest] = String(args['command']).split(' ');
      const { status, stdout, stderr } = spawnSync(program, rest, {
        cwd: folder,
        env: clean,
        encoding: 'utf8',
      });
      return { stdout, stderr, exit_code: status, success: status === 0 };
    }
    default:
      throw new Error(`Nobody answers ${tool}.`);
  }
}
