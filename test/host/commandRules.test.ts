import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleMatch } from '../../protocol';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('command rules', () => {
  const scene = scenes({ settings: { approvals: { holdMs: 0 } } });

  const add = (
    effect: 'allow' | 'ask' | 'deny',
    command: string,
    scope: 'session' | 'workspace' = 'workspace',
  ) =>
    scene.host.request('rule/add', {
      effect,
      scope,
      match: { kind: 'command', command, folder: scene.host.workspace },
      ...(scope === 'session' ? { session: scene.session } : {}),
    });
  const explain = (command: string) =>
    scene.host.request('rule/explain', { session: scene.session, tool: 'shell', args: { command } });
  const has = (file: string) => existsSync(join(scene.host.workspace, file));

  it('A10 what the rules cover part by part runs unasked, and one more command asks', async () => {
    await add('allow', 'touch one', 'session');
    await add('allow', 'touch two');
    scene.server.script([
      {
        calls: [
          shell('"touch"  one && touch two 2>&1 # both', {}, 'c1'),
          shell('touch one; touch three', {}, 'c2'),
        ],
      },
      done(),
    ]);
    await scene.say('go');
    const asked = await scene.asked();
    assert.equal(asked.call, 'c2');
    const { items } = await scene.host.request('approval/list', {});
    assert.equal(items[0]?.why, '`touch three`: no rule allows this command.');
    await scene.deny(asked);
    await scene.host.next('turn_ended');
    assert.ok(has('one') && has('two') && !has('three'));
    const audit = await scene.host.request('audit/list', {});
    const entry = audit.items.find((one) => one.call === 'c1');
    assert.match(entry?.why ?? '', /^Rules allow each of its commands: `touch one` exactly/);
  });

  it('A10 a rule of a session holds in no other', async () => {
    await add('allow', 'touch one', 'session');
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    const asked = { tool: 'shell', args: { command: 'touch one' } };
    const other = await scene.host.request('rule/explain', { session: session.id, ...asked });
    assert.deepEqual([(await explain('touch one')).decision, other.decision], ['allow', 'ask']);
  });

  it('A10 a denied command is denied with two blanks, in quotes, behind a path, in a substitution and behind a wrapper', async () => {
    await add('deny', 'touch never');
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const spellings = [
      'touch  never',
      '"touch" \'never\'',
      '/usr/bin/touch never',
      'echo $(touch never)',
      'true && (touch never)',
      "env A=1 sh -c 'touch never'",
      'env -iu A touch never',
      'timeout -vk 5 10 touch never',
      'script -qec "touch never" /dev/null',
      "t''ouch \\never",
    ];
    const calls = spellings.map((command, at) => shell(command, {}, `c${at}`));
    scene.server.script([{ calls }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    for (const [at, command] of spellings.entries())
      assert.equal(toldOf(scene.server, `c${at}`)['error'], 'approval_denied', command);
    assert.equal(has('never'), false);
  });

  it('A1 A10 in the mode "full" a line that may hide what is denied asks', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    assert.equal((await explain('$X never')).decision, 'allow');
    await add('deny', 'touch never');
    const { decision, why } = await explain('$X never');
    assert.equal(decision, 'ask');
    assert.match(
      why,
      /^It cannot be read well enough to tell whether this rule is meant: `touch never` exactly/,
    );
  });

  it('A3 A10 an allow for the session covers each of the commands of its line, after a restart as well', async () => {
    scene.server.script([{ calls: [shell('touch one | cat', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    const { items } = await scene.host.request('approval/list', {});
    const label = `each of the commands in \`touch one | cat\` exactly, in ${scene.host.workspace}`;
    assert.deepEqual(
      items[0]?.offers.map((offer) => offer.label),
      [label, label],
    );
    await scene.allow(asked, { scope: 'session' });
    await scene.host.next('turn_ended');
    await scene.restart();
    assert.equal((await explain('cat && touch one')).decision, 'allow');
    assert.equal((await explain('cat x')).decision, 'ask');
    const { items: rules } = await scene.host.request('rule/list', {});
    assert.deepEqual(rules[0]?.match, {
      kind: 'command',
      command: 'touch one | cat',
      folder: scene.host.workspace,
    });
    assert.equal(rules[0]?.label, label);
  });

  it('A3 A10 nothing is offered for what asks whatever rules there are', async () => {
    const commands = ['touch one > two', 'sh one', 'touch $(one)', 'cd sub; touch one', 'touch "one'];
    for (const command of commands) assert.deepEqual((await explain(command)).offers, [], command);
  });

  it('A10 a rule whose last word is * allows any further words that are written out', async () => {
    const { rule } = await add('allow', 'touch *');
    assert.equal(rule.label, `\`touch\` with any further words, in ${scene.host.workspace}`);
    assert.equal((await explain('touch one two')).decision, 'allow');
    assert.equal((await explain('touch $X')).decision, 'ask');
    assert.equal((await explain('touch one > two')).decision, 'ask');
    assert.equal((await explain('touch one; rm one')).decision, 'ask');
  });

  it('A10 R11 an allow rule that could never hold is refused with its reason; a deny rule of the same words is not', async () => {
    const never = ['node *', 'touch one > two', 'sudo touch one', 'A=1 touch one', '*', 'touch "one', ''];
    for (const command of never) {
      const match = { kind: 'command', command, folder: scene.host.workspace } as const;
      const refused = await scene.host.refused('rule/add', { effect: 'allow', scope: 'workspace', match });
      assert.equal(refused.code, 'invalid_params', command);
      assert.match(refused.message, /^No rule can allow this\. /, command);
      await add('deny', command);
    }
  });

  it('A10 a command is explained part by part, with the rule that decides each', async () => {
    const allowed = (await add('allow', 'touch one')).rule.label;
    const denied = (await add('deny', 'touch never')).rule.label;
    const { decision, parts } = await explain('touch one && touch two | sh -c "touch never"');
    assert.equal(decision, 'deny');
    assert.deepEqual(parts, [
      { command: 'touch one', decision: 'allow', why: `A rule allows it: ${allowed}.`, rule: allowed },
      { command: 'touch two', decision: 'ask', why: '`touch two`: no rule allows this command.' },
      {
        command: 'sh -c "touch never"',
        decision: 'ask',
        why: '`sh -c "touch never"`: the interpreter `sh` always asks.',
      },
      { command: 'touch never', decision: 'deny', why: `A rule denies it: ${denied}.`, rule: denied },
    ]);
    assert.deepEqual((await explain('touch "one')).parts, []);
    const { parts: none } = await scene.host.request('rule/explain', {
      session: scene.session,
      tool: 'read',
      args: { path: 'one' },
    });
    assert.deepEqual(none, []);
  });

  it('A7 A10 a new rule answers what waits by its parts', async () => {
    scene.server.script([
      { calls: [shell('touch one; touch two', {}, 'c1'), shell('true; touch  never', {}, 'c2')] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, (event) => event.data.call_id === 'c2');
    await add('allow', 'touch one');
    await add('deny', 'touch never');
    await add('allow', 'touch two');
    await scene.host.next('turn_ended');
    assert.ok(has('one') && has('two') && !has('never'));
    assert.equal(toldOf(scene.server, 'c2')['error'], 'approval_denied');
  });

  it('A10 text for a terminal is denied as a command would be, and allowed by no rule for commands', async () => {
    await add('deny', 'touch never');
    await add('allow', 'touch one');
    const typed = (text: string) =>
      scene.host.request('rule/explain', {
        session: scene.session,
        tool: 'write_stdin',
        args: { handle: 'proc:1', text },
      });
    assert.equal((await typed('touch  never\r')).decision, 'deny');
    assert.equal((await typed('touch one\r')).decision, 'ask');
  });

  it('A1 a rule is kept as calls are compared with it, however its folder or its file was spelled', async () => {
    const { workspace } = scene.host;
    mkdirSync(join(workspace, 'sub'));
    symlinkSync('real.txt', join(workspace, 'link.txt'));
    const kept = async (match: RuleMatch) =>
      (await scene.host.request('rule/add', { effect: 'deny', scope: 'workspace', match })).rule.match;
    const real = realpathSync(workspace);
    for (const folder of [`${workspace}/`, `${workspace}/sub/..`, `${workspace}/./`])
      assert.deepEqual(await kept({ kind: 'command', command: 'touch no', folder }), {
        kind: 'command',
        command: 'touch no',
        folder: workspace,
      });
    for (const [path, file] of [
      [`${workspace}/./sub/../other.txt`, 'other.txt'],
      [`${workspace}/link.txt`, 'real.txt'],
    ] as const)
      assert.deepEqual(await kept({ kind: 'path', path }), { kind: 'path', path: join(real, file) });
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([
      {
        calls: [
          shell('touch no', {}, 'c1'),
          { tool: 'write', args: { path: 'other.txt', content: 'x' }, id: 'c2' },
        ],
      },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.deepEqual([has('no'), has('other.txt')], [false, false]);
  });

  it('R11 a rule that no call could ever match is refused', async () => {
    const { workspace } = scene.host;
    const matches: RuleMatch[] = [
      { kind: 'command', command: 'true', folder: '.' },
      { kind: 'command', command: 'true', folder: '/' },
      { kind: 'path', path: 'secret.txt' },
      { kind: 'path', path: workspace },
      { kind: 'tool', tool: '' },
    ];
    for (const match of matches) {
      const refused = await scene.host.refused('rule/add', { effect: 'deny', scope: 'workspace', match });
      assert.equal(refused.code, 'invalid_params', JSON.stringify(match));
    }
  });

  it('R11 a preview gives the words of the list, refuses as adding would, and writes nothing', async () => {
    const folder = scene.host.workspace;
    const draft = (effect: 'allow' | 'deny', command: string) =>
      ({ effect, scope: 'workspace', match: { kind: 'command', command, folder } }) as const;
    const { label } = await scene.host.request('rule/preview', draft('allow', 'touch *'));
    assert.equal(label, `\`touch\` with any further words, in ${folder}`);
    const refused = await scene.host.refused('rule/preview', draft('allow', 'node *'));
    assert.match(refused.message, /^No rule can allow this\. /);
    await scene.host.request('rule/preview', draft('deny', 'node *'));
    const unknown = { ...draft('deny', 'x'), scope: 'session', session: 's99' } as const;
    assert.equal((await scene.host.refused('rule/preview', unknown)).code, 'session_unknown');
    assert.deepEqual((await scene.host.request('rule/list', {})).items, []);
    const { rule } = await scene.host.request('rule/add', draft('allow', 'touch *'));
    assert.equal(rule.label, label);
  });

  it('A12 no rule allows the edits of a protected file, by whatever link it is named', async () => {
    const at = (path: string) => join(scene.host.workspace, path);
    symlinkSync('.vscode/tasks.json', at('link.txt'));
    const draft = (effect: 'allow' | 'deny', path: string) =>
      ({ effect, scope: 'workspace', match: { kind: 'path', path: at(path) } }) as const;
    for (const path of ['.vscode/tasks.json', 'link.txt'])
      for (const method of ['rule/preview', 'rule/add'] as const)
        assert.equal(
          (await scene.host.refused(method, draft('allow', path))).message,
          'No rule can allow this. This file decides over the agent, or is run by the editor or git by itself.',
        );
    await scene.host.request('rule/add', draft('deny', '.vscode/tasks.json'));
  });

  it('A11 in an untrusted workspace a rule may ask or deny, and none may allow', async () => {
    await scene.host.request('settings/update', { trusted: false });
    const match = { kind: 'command', command: 'touch one', folder: scene.host.workspace } as const;
    const refused = await scene.host.refused('rule/add', { effect: 'allow', scope: 'workspace', match });
    assert.equal(refused.code, 'untrusted_workspace');
    await add('ask', 'touch one');
    await add('deny', 'touch one');
  });
});
