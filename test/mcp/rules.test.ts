/** Rules for the tools of servers: for one server as it is configured, and for no other that has its name (A3, A12). */
import assert from 'node:assert/strict';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: rules for tools', () => {
  let standIn: StandIn;
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config() } }, limits: { serverBackoffMs: 1 } };
    },
  });
  afterEach(() => standIn.stop());
  const echo = { tool: 'fake__echo', args: { text: 'hello' } };
  const LABEL = 'every call of fake__echo, while the server fake is configured as now';
  const script = (id: string) => scene.server.script([{ calls: [{ ...echo, id }] }, done()]);

  /** Another program takes the name. */
  async function swap(): Promise<void> {
    const mcp = { servers: { fake: standIn.config('', { OTHER: '1' }) } };
    await scene.host.request('settings/update', { settings: { ...scene.settings, mcp } });
  }

  it('A3 A12 an allowed tool is that of its server as it is configured: another one under its name asks', async () => {
    script('c1');
    await scene.say('go');
    const asked = await scene.host.next('approval_requested');
    await scene.allow(asked.data, { scope: 'workspace' });
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('rule/list', {});
    assert.deepEqual(
      items.map((rule) => rule.label),
      [LABEL],
    );
    let mark = scene.host.mark;
    script('c2');
    await scene.say('again');
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(toldOf(scene.server, 'c2'), { text: 'hello' });
    await swap();
    mark = scene.host.mark;
    script('c3');
    await scene.say('and again');
    await scene.deny((await scene.host.next('approval_requested', mark)).data);
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(standIn.calls, ['echo', 'echo']);
  });

  it('A3 A12 all tools of a server can be allowed at once: of exactly that server, until its command is another one, and but for what is denied', async () => {
    script('c1');
    await scene.say('go');
    const asked = await scene.host.next('approval_requested');
    const offer = asked.data.offers.find(({ match }) => match.kind === 'server');
    assert.equal(
      offer?.label,
      'every call of every tool of the server fake, also of later ones, while it is configured as now',
    );
    await scene.allow(asked.data, { scope: 'workspace', match: offer.match });
    await scene.host.next('turn_ended');
    const explain = async (tool: string, args: unknown) =>
      (await scene.host.request('rule/explain', { session: scene.session, tool, args })).decision;
    assert.equal(await explain('fake__slow', { until: 'x' }), 'allow');
    assert.equal(await explain('shell', { command: 'fake__slow' }), 'ask');
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'tool', tool: 'fake__slow' },
    });
    assert.equal(await explain('fake__slow', { until: 'x' }), 'deny');
    await swap();
    const mark = scene.host.mark;
    script('c2');
    await scene.say('again');
    await scene.deny((await scene.host.next('approval_requested', mark)).data);
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(standIn.calls, ['echo']);
  });

  it('A3 A12 what a person allowed once comes to no other server that has got the name meanwhile', async () => {
    script('c1');
    await scene.say('go');
    const asked = await scene.host.next('approval_requested');
    await swap();
    await scene.allow(asked.data);
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'server_unavailable');
    assert.deepEqual(standIn.calls, []);
  });

  it('A1 a rule that denies names every tool of its name; one that allows is for whoever has it now, or refused', async () => {
    const rule = (effect: 'allow' | 'deny', tool: string) => ({
      effect,
      scope: 'workspace' as const,
      match: { kind: 'tool' as const, tool },
      by: 'test',
    });
    const none = await scene.host.refused('rule/add', rule('allow', 'nobody__echo'));
    assert.equal(none.code, 'invalid_params');
    scene.server.script([done()]);
    await scene.say('so that its tools are known');
    await scene.host.next('turn_ended');
    const { rule: allowed } = await scene.host.request('rule/add', rule('allow', 'fake__echo'));
    assert.equal(allowed.label, LABEL);
    let mark = scene.host.mark;
    script('c1');
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(toldOf(scene.server, 'c1'), { text: 'hello' });
    const { rule: denied } = await scene.host.request('rule/add', rule('deny', 'fake__echo'));
    assert.equal(denied.label, 'every call of fake__echo');
    mark = scene.host.mark;
    await swap();
    script('c2');
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    assert.equal(toldOf(scene.server, 'c2')['error'], 'approval_denied');
  });
});
