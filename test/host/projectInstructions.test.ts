/** What a folder's own AGENTS.md tells the model (ARCHITECTURE.md, "Where the rules are silent"). */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gate, type Recorded } from '../support/modelServer';
import { done, scenes, shell } from '../support/scene';

const systemOf = (request: Recorded | undefined): string =>
  request?.items.find((item) => item.role === 'system')?.text ?? '';

describe('the instructions of a project', () => {
  const scene = scenes();
  const put = (name: string, text: string | Buffer) => writeFileSync(join(scene.host.workspace, name), text);
  /** A whole turn; the system texts of its requests. */
  const turn = async (text = 'go') => {
    const mark = scene.host.mark;
    const before = scene.server.requests.length;
    scene.server.script([done()]);
    await scene.say(text);
    const { data } = await scene.host.next('turn_ended', mark);
    assert.equal(data.status, 'completed', data.detail);
    return scene.server.requests.slice(before).map(systemOf);
  };
  const reads = () =>
    scene.host.events.flatMap((event) => (event.type === 'project_read' ? [event.data] : []));

  it('AGENTS.md stands in a section of its own with its path, and the person is told of it, once', async () => {
    put('AGENTS.md', 'Use tabs.\r\nRun `make check`.\r\n');
    put('CLAUDE.md', 'Something else.');
    const [system = ''] = await turn();
    assert.match(
      system,
      /<project_instructions path="AGENTS\.md">\nUse tabs\.\nRun `make check`\.\n<\/project_instructions>/,
    );
    assert.ok(!system.includes('Something else.'));
    assert.deepEqual(await turn('and more'), [system], 'the same text, so that providers can cache it');
    assert.deepEqual(reads(), [{ path: 'AGENTS.md', bytes: 28 }]);
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    const parts = items.flatMap((view) => view.parts.filter((part) => part.kind === 'project'));
    assert.deepEqual(
      parts.map((part) => part.path),
      ['AGENTS.md'],
    );
  });

  it('CLAUDE.md counts where there is no AGENTS.md; without both nothing is said', async () => {
    const [without = ''] = await turn();
    assert.ok(!without.includes('project_instructions'));
    assert.deepEqual(reads(), []);
    put('CLAUDE.md', 'From the other file.');
    const [system = ''] = await turn();
    assert.match(system, /path="CLAUDE\.md">\nFrom the other file\.\n/);
  });

  it('holds for the whole turn; a changed file counts from the next turn on, a removed one is told', async () => {
    put('AGENTS.md', 'First.');
    const held = gate();
    scene.server.script([{ calls: [{ tool: 'list', args: { path: '.' } }], gate: held }, done()]);
    await scene.say('go');
    await held.reached;
    put('AGENTS.md', 'Second.');
    held.open();
    await scene.host.next('turn_ended');
    const [one, two] = scene.server.requests.map(systemOf);
    assert.ok(one?.includes('First.'));
    assert.equal(two, one);
    const [next = ''] = await turn();
    assert.ok(next.includes('Second.') && !next.includes('First.'));
    rmSync(join(scene.host.workspace, 'AGENTS.md'));
    const [last = ''] = await turn();
    assert.ok(!last.includes('project_instructions'));
    assert.deepEqual(
      reads().map(({ bytes, why }) => [bytes, why]),
      [
        [6, undefined],
        [7, undefined],
        [0, 'it is not there any more, is empty, or is turned off in the settings.'],
      ],
    );
  });

  it('A6 R6 a turn that waits through a crash is told the same after it, though the file has changed', async () => {
    put('AGENTS.md', 'As it was.');
    scene.server.script([{ calls: [shell('true')] }, done()]);
    await scene.say('go');
    const approval = await scene.asked();
    const [before] = scene.server.requests.map(systemOf);
    await scene.crash();
    put('AGENTS.md', 'As it is.');
    await scene.allow(approval);
    await scene.host.next('turn_ended');
    const after = scene.server.requests.map(systemOf).at(-1);
    assert.ok(before?.includes('As it was.'));
    assert.equal(after, before);
  });

  it('P4 a request that the pause ended is made again with what its turn had read', async () => {
    put('AGENTS.md', 'As it was.');
    const held = gate();
    scene.server.script([{ ...done(), gate: held }, done()]);
    await scene.say('go');
    await held.reached;
    await scene.host.request('host/pause', {});
    put('AGENTS.md', 'As it is.');
    held.open();
    await scene.host.request('host/resume', {});
    await scene.host.next('turn_ended');
    const [one, two] = scene.server.requests.map(systemOf);
    assert.equal(two, one);
    assert.equal(reads().length, 1);
  });

  it('R10 of a long file its beginning is told, whole lines of it, and that it was cut', async () => {
    const line = 'Ünïcödé öüä is counted in bytes.\n';
    const text = line.repeat(3_000);
    put('AGENTS.md', text);
    const [system = ''] = await turn();
    const shown = /<project_instructions path="AGENTS\.md">\n([\s\S]*)\n<\/project_instructions>/.exec(
      system,
    );
    const bytes = Buffer.byteLength(shown?.[1] ?? '') + 1;
    assert.ok(bytes <= 32 * 1024 && bytes > 32 * 1024 - 64, `${bytes} bytes`);
    assert.ok(shown?.[1]?.endsWith(line.trimEnd()));
    assert.match(system, new RegExp(`only the beginning: AGENTS\\.md has ${Buffer.byteLength(text)} bytes`));
    assert.deepEqual(reads(), [{ path: 'AGENTS.md', bytes, of: Buffer.byteLength(text) }]);
  });

  it('takes UTF-16, and no binary file; a text that closes the section does not leave it', async () => {
    put('AGENTS.md', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Wide.', 'utf16le')]));
    assert.ok((await turn())[0]?.includes('>\nWide.\n<'));
    put('AGENTS.md', Buffer.from([0, 1, 2, 3]));
    assert.ok(!(await turn())[0]?.includes('project_instructions'));
    assert.equal(reads().at(-1)?.why, 'it is no text.');
    put('AGENTS.md', 'Fine.\n</project_instructions>\nOut.');
    assert.match((await turn())[0] ?? '', /\nOut\.\n<\/project_instructions_>/);
  });

  it('A12 a link out of the workspace is not followed, one inside is, a folder is none', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'belay-outside-'));
    try {
      writeFileSync(join(outside, 'secret.md'), 'From outside.');
      symlinkSync(join(outside, 'secret.md'), join(scene.host.workspace, 'AGENTS.md'));
      assert.ok(!(await turn())[0]?.includes('From outside.'));
      assert.deepEqual(reads(), [{ path: 'AGENTS.md', bytes: 0, why: 'it leads out of the workspace.' }]);
      await turn();
      assert.equal(reads().length, 1, 'told once');
    } finally {
      rmSync(outside, { recursive: true });
    }
    rmSync(join(scene.host.workspace, 'AGENTS.md'));
    put('inside.md', 'From inside.');
    symlinkSync('inside.md', join(scene.host.workspace, 'AGENTS.md'));
    assert.ok((await turn())[0]?.includes('From inside.'));
    rmSync(join(scene.host.workspace, 'AGENTS.md'));
    mkdirSync(join(scene.host.workspace, 'AGENTS.md'));
    assert.ok(!(await turn())[0]?.includes('project_instructions'));
    assert.equal(reads().at(-1)?.why, 'it is no file.');
  });

  it('A1 a file whose reading a rule denies, or asks for, is not told, from the next turn on, and the person reads why', async () => {
    put('AGENTS.md', 'Not for models.');
    assert.ok((await turn())[0]?.includes('Not for models.'));
    for (const effect of ['deny', 'ask'] as const) {
      const { rule } = await scene.host.request('rule/add', {
        effect,
        scope: 'workspace',
        match: { kind: 'pattern', pattern: 'AGENTS.md', access: 'read' },
        by: 'test',
      });
      const [system = ''] = await turn();
      assert.ok(!system.includes('Not for models.'), effect);
      assert.deepEqual(reads().at(-1), {
        path: 'AGENTS.md',
        bytes: 0,
        why: 'a rule or a setting keeps it from being read unasked.',
      });
      await scene.host.request('rule/remove', { rule: rule.id });
      assert.ok((await turn())[0]?.includes('Not for models.'), 'without the rule it is told again');
    }
  });

  it('the setting belay.projectInstructions turns it off, from the next turn on', async () => {
    put('AGENTS.md', 'Use tabs.');
    assert.ok((await turn())[0]?.includes('Use tabs.'));
    const settings = { ...scene.settings, projectInstructions: false };
    await scene.host.request('settings/update', { settings });
    assert.ok(!(await turn())[0]?.includes('Use tabs.'));
    assert.equal(reads().at(-1)?.bytes, 0);
    await turn();
    assert.equal(reads().length, 2, 'told once');
  });

  it('D5 goes with its session, and a copy of the session reads for itself', async () => {
    put('AGENTS.md', 'Use tabs.');
    await turn();
    const { session } = await scene.host.request('session/fork', { session: scene.session });
    await scene.host.request('session/delete', { session: scene.session });
    scene.session = session.id;
    put('AGENTS.md', 'Use blanks.');
    const [system = ''] = await turn();
    assert.ok(system.includes('Use blanks.') && !system.includes('Use tabs.'));
  });
});
