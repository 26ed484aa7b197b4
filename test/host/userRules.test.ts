/** Rules of a person for all workspaces: kept outside of the stores, the same in every window (A7, A12). */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuleDraft } from '../../protocol';
import { HostClient, localModel } from '../support/hostClient';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('rules for all workspaces', () => {
  const rulesDir = mkdtempSync(join(tmpdir(), 'belay-rules-'));
  const scene = scenes({ host: { rulesDir } });
  const others: HostClient[] = [];
  afterEach(async () => {
    for (const other of others.splice(0)) await other.stop();
    for (const file of readdirSync(rulesDir)) rmSync(join(rulesDir, file), { recursive: true });
  });
  after(() => rmSync(rulesDir, { recursive: true }));

  const draft = (effect: RuleDraft['effect'], command: string): RuleDraft => ({
    effect,
    scope: 'user',
    match: { kind: 'command', command },
  });
  const explain = async (command: string, host = scene.host, session = scene.session) =>
    (await host.request('rule/explain', { session, tool: 'shell', args: { command } })).decision;

  /** A window of another workspace. */
  async function another(options: { trusted?: boolean } = {}) {
    const host = await HostClient.start({ settings: localModel(scene.server.url), rulesDir, ...options });
    others.push(host);
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    return { host, session: session.id };
  }

  it('A12 hold in every folder of every workspace, after a restart as well, and the audit says that they are for all', async () => {
    const { rule } = await scene.host.request('rule/add', { ...draft('allow', 'touch one'), by: 'test' });
    assert.equal(rule.label, 'in all workspaces: `touch one` exactly');
    const { host, session } = await another();
    assert.equal(await explain('touch one', host, session), 'allow');
    assert.equal(await explain('touch one && touch two', host, session), 'ask');
    const listed = await host.request('rule/list', { limit: 1 });
    assert.deepEqual(
      [listed.items[0]?.id, listed.items[0]?.scope, listed.next],
      [rule.id, 'user', undefined],
    );
    await scene.crash();
    scene.server.script([{ calls: [shell('touch one', {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('audit/list', {});
    assert.deepEqual([items[0]?.decision, items[0]?.by], ['allow', rule.label]);
  });

  it('A7 a rule that is added or removed in one window decides what waits in another', async () => {
    const { host, session } = await another();
    scene.server.script([{ calls: [shell('touch one', {}, 'c1')] }, done()]);
    await host.request('message/send', { session, text: 'go' });
    await host.next('approval_requested');
    const { rule } = await scene.host.request('rule/add', draft('deny', 'touch *'));
    await host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'approval_denied');
    const mark = host.mark;
    await scene.host.request('rule/remove', { rule: rule.id });
    const removed = await host.next('rule_changed', mark);
    assert.deepEqual([removed.data.rule.id, removed.data.change], [rule.id, 'removed']);
    assert.equal(await explain('touch one', host, session), 'ask');
    const gone = await scene.host.refused('rule/remove', { rule: rule.id });
    assert.equal(gone.code, 'rule_unknown');
  });

  it('A6 A7 a request that waited while no host was there is judged by the rules that came meanwhile', async () => {
    scene.server.script([{ calls: [shell('touch one', {}, 'c1'), shell('touch two', {}, 'c2')] }, done()]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, ({ data }) => data.call_id === 'c2');
    await scene.host.kill();
    const { host } = await another();
    await host.request('rule/add', draft('allow', 'touch one'));
    await host.request('rule/add', draft('deny', 'touch two'));
    scene.host = await scene.host.again({ settings: scene.settings });
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['exit_code'], 0);
    assert.equal(toldOf(scene.server, 'c2')['error'], 'approval_denied');
  });

  it('A12 a label is made of the rule that holds, whatever its file says', async () => {
    const { rule } = await scene.host.request('rule/add', draft('allow', 'touch *'));
    writeFileSync(join(rulesDir, `${rule.id}.json`), JSON.stringify({ ...rule, label: 'nothing at all' }));
    const { host } = await another();
    const { items } = await host.request('rule/list', {});
    assert.deepEqual(
      items.map(({ label }) => label),
      ['in all workspaces: `touch` with any further words'],
    );
  });

  it('A7 a request that waited is judged again when the last of these rules went while no host was there', async () => {
    const match = { kind: 'command', command: 'touch one', folder: scene.host.workspace } as const;
    await scene.host.request('rule/add', { effect: 'allow', scope: 'workspace', match });
    const { rule } = await scene.host.request('rule/add', draft('ask', 'touch one'));
    scene.server.script([{ calls: [shell('touch one', {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.host.next('approval_requested');
    await scene.host.kill();
    const { host } = await another();
    await host.request('rule/remove', { rule: rule.id });
    scene.host = await scene.host.again({ settings: scene.settings });
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['exit_code'], 0);
  });

  it('A1 deny beats ask beats allow, whichever scope they have', async () => {
    const { workspace } = scene.host;
    const here = (effect: RuleDraft['effect'], command: string): RuleDraft => ({
      effect,
      scope: 'workspace',
      match: { kind: 'command', command, folder: workspace },
    });
    for (const rule of [
      draft('allow', 'touch a'),
      here('deny', 'touch a'),
      here('allow', 'touch b'),
      draft('deny', 'touch b'),
      here('allow', 'touch c'),
      draft('ask', 'touch c'),
    ])
      await scene.host.request('rule/add', rule);
    assert.deepEqual(
      [await explain('touch a'), await explain('touch b'), await explain('touch c')],
      ['deny', 'deny', 'ask'],
    );
  });

  it('A3 A12 are never offered with an allow, hold for no tool of their files, and are refused where they could never hold', async () => {
    scene.server.script([{ calls: [shell('touch one', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    const refused = await scene.host.refused('approval/answer', {
      approval: asked.id,
      request: asked.request,
      decision: 'allow',
      scope: 'user' as 'workspace',
    });
    assert.equal(refused.code, 'invalid_params');
    await scene.deny(asked);
    await scene.host.next('turn_ended');
    const { workspace } = scene.host;
    const inFolder = { kind: 'command', command: 'touch one', folder: workspace } as const;
    for (const wrong of [
      draft('allow', 'node *'),
      draft('allow', 'touch one > two'),
      { ...draft('allow', 'touch one'), match: inFolder },
      { effect: 'allow', scope: 'workspace', match: { kind: 'command', command: 'touch one' } } as const,
      { ...draft('allow', 'ls'), match: { kind: 'command', command: 'ls', further: true } } as const,
    ])
      assert.equal(
        (await scene.host.refused('rule/add', wrong)).code,
        'invalid_params',
        JSON.stringify(wrong),
      );
    assert.deepEqual(readdirSync(rulesDir), []);
    const named = await scene.host.refused('rule/explain', {
      session: scene.session,
      tool: 'write',
      args: { path: join(rulesDir, 'r912345678901234.json'), text: '{}' },
    });
    assert.equal(named.code, 'invalid_params');
  });

  it('A11 A12 an untrusted workspace adds none that allows, and files of a workspace are no rules', async () => {
    const { host } = await another({ trusted: false });
    assert.equal((await host.refused('rule/add', draft('allow', 'touch one'))).code, 'untrusted_workspace');
    mkdirSync(join(scene.host.workspace, 'rules'));
    const rule = {
      ...draft('allow', 'touch one'),
      id: 'r912345678901234',
      label: 'x',
      createdAt: 1,
      by: 'x',
    };
    writeFileSync(join(scene.host.workspace, 'rules/r912345678901234.json'), JSON.stringify(rule));
    await scene.restart();
    assert.equal(await explain('touch one'), 'ask');
  });

  it('D2 R11 what is no rule is told and holds nothing up, a write that was cut off leaves nothing', async () => {
    const { rule } = await scene.host.request('rule/add', draft('deny', 'touch one'));
    const strange = { ...rule, id: 'r912345678901234' };
    writeFileSync(join(rulesDir, 'torn.json'), '{"effect":');
    writeFileSync(join(rulesDir, 'r1.json'), JSON.stringify(strange));
    writeFileSync(join(rulesDir, 'r911111111111111.json.4194303'), JSON.stringify(strange));
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    const other = HostClient.spawn({ settings: localModel(scene.server.url), rulesDir });
    others.push(other);
    const { warnings } = await other.initialize();
    const { items } = await other.request('rule/list', {});
    assert.deepEqual(
      items.map(({ id }) => id),
      [rule.id],
    );
    assert.ok(!existsSync(join(rulesDir, 'r911111111111111.json.4194303')), 'of a process that is gone');
    assert.deepEqual(warnings, [
      'This file holds no rule that can be read: r1.json',
      'This file holds no rule that can be read: torn.json',
    ]);
  });

  it('D2 A7 a file that is damaged, and a folder that is made anew, take no rule away and are followed', async () => {
    const { rule } = await scene.host.request('rule/add', draft('deny', 'touch *'));
    const file = join(rulesDir, `${rule.id}.json`);
    const content = readFileSync(file);
    writeFileSync(file, '{"eff');
    const { rule: other } = await scene.host.request('rule/add', draft('allow', 'touch one'));
    assert.equal(await explain('touch one'), 'deny');
    rmSync(rulesDir, { recursive: true });
    const changesOf = (id: string) =>
      scene.host.events.flatMap(({ type, data }) =>
        type === 'rule_changed' && data.rule.id === id ? [data.change] : [],
      );
    for (const { id } of [rule, other])
      await scene.host.until(() => changesOf(id).find((change) => change === 'removed'));
    mkdirSync(rulesDir, { recursive: true });
    writeFileSync(file, content);
    await scene.host.until(() => (changesOf(rule.id).at(-1) === 'added' ? true : undefined));
    assert.equal(await explain('touch one'), 'deny');
  });

  it('R11 a client without a place for them is refused with words', async () => {
    const bare = await HostClient.start({ settings: localModel(scene.server.url) });
    others.push(bare);
    const refused = await bare.refused('rule/add', draft('deny', 'touch one'));
    assert.match(refused.message, /^This client keeps no rules for all workspaces\./);
  });
});
