/** What a whole host says to the person can be said in German; what it says to the model stays English. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sayIn } from '../../protocol';
import { done, scenes, shell, toldOf } from '../support/scene';

const german = sayIn(
  JSON.parse(readFileSync(join(__dirname, '../../l10n/host.de.json'), 'utf8')) as Record<string, string>,
);

describe('the sentences of a whole host, in German', () => {
  const scene = scenes();

  it('A1 A3 why a request asks, what an allow will cover, and who let it happen', async () => {
    scene.server.script([{ calls: [shell('echo hi', {}, 'c1'), shell('echo hi', {}, 'c2')] }, done()]);
    await scene.say('go');
    await scene.asked();
    const [asked] = (await scene.host.request('approval/list', {})).items;
    assert.ok(asked);
    assert.equal(german(asked.why), 'Keine Regel erlaubt diesen Befehl.');
    const covered = `genau \`echo hi\`, in ${scene.host.workspace}`;
    assert.equal(german(asked.offers[0]?.label ?? ''), covered);
    await scene.allow(asked, { scope: 'session', by: 'you from the chat' });
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('audit/list', {});
    const audited = items.map(({ why, by }) => [german(why), german(by ?? '')]);
    assert.deepEqual(audited, [
      ['Keine Regel erlaubt diesen Befehl.', `Regel: ${covered}`],
      ['Keine Regel erlaubt diesen Befehl.', 'Ihnen im Chat'],
    ]);
  });

  it('A2 R11 refusals, with who was first', async () => {
    scene.server.script([{ calls: [shell('true')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.deny(asked);
    const refused = async (sending: Promise<unknown>): Promise<string> => {
      const [outcome] = await Promise.allSettled([sending]);
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Error);
      return german(outcome.reason.message);
    };
    const second = { approval: asked.id, request: 1, decision: 'allow' } as const;
    assert.equal(await refused(scene.host.request('approval/answer', second)), 'Bereits abgelehnt von test.');
    const none = { session: 's99', text: 'Hello' };
    assert.equal(
      await refused(scene.host.request('message/send', none)),
      'Diese Sitzung gibt es nicht (mehr).',
    );
    const outside = { folder: '/nowhere', agent: { kind: 'model', model: 'local/m1' } } as const;
    assert.match(await refused(scene.host.request('session/create', outside)), /^„folder“ ist kein Ordner: /);
    await scene.host.next('turn_ended');
  });

  it('R11 how a turn failed and what to do, with the provider’s own words as they are', async () => {
    scene.server.script([{ status: 401, body: { error: { message: 'No such key.' } } }]);
    await scene.say('go');
    const { detail = '' } = (await scene.host.next('turn_ended')).data;
    assert.match(german(detail), /^„local“ (verlangt einen|nimmt den) Schlüssel.*\(No such key\.\)$/);
  });

  it('A3 what the model is told stays English', async () => {
    scene.server.script([{ calls: [shell('true', {}, 'c1')] }, done()]);
    await scene.say('go');
    await scene.deny(await scene.asked());
    await scene.host.next('turn_ended');
    const told = toldOf(scene.server, 'c1');
    assert.deepEqual(told, { error: 'approval_denied', detail: 'The person denied it: it has not run.' });
    assert.equal(german('The person denied it: it has not run.'), 'Sie haben es abgelehnt: Es lief nicht.');
  });
});

describe('a setting that is not right, in German', () => {
  const scene = scenes({ settings: { limits: { rounds: 'many' } } });

  it('R11 is named with its value, what it must be, and what holds meanwhile', async () => {
    const { warnings } = await scene.host.request('settings/update', {
      settings: { ...scene.settings, approvals: { holdMs: -5 } },
      folders: [],
      trusted: true,
    });
    const told = german(warnings.find((one) => one.includes('holdMs')) ?? '');
    assert.equal(
      told,
      '"belay.approvals.holdMs" ist -5; richtig wäre: 0 oder mehr. Bis dahin gilt der Standardwert.',
    );
  });
});
