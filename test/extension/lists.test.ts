import './vscodeStub';
import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { age, nextTick } from '../../extension/views/ages';
import { handleRows } from '../../extension/views/handlesModel';
import { fenced, plain } from '../../extension/views/markdown';
import { needRows } from '../../extension/views/needsModel';
import { sessionRows } from '../../extension/views/sessionsModel';
import { sameLook, sameShape, type Row } from '../../extension/views/treeModel';
import { approval, asks, handle, NOW, session, snapshot, wonders } from './samples';

const look = (row: Row | undefined): string =>
  row === undefined ? 'nothing' : `${row.icon} | ${row.label} | ${row.description} | ${row.context}`;

describe('Needs you', () => {
  it('shows the thing itself, the session and the age, oldest first', () => {
    const rows = needRows(snapshot({ needs: [asks(), wonders()] }), NOW);
    assert.deepEqual(rows.map(look), [
      'bell-dot | npm install | 12 s · Fix login | <approval><whole>',
      'question | Which database? | 2 m · Fix login | <question>',
    ]);
    assert.equal(rows[0]?.spoken, 'npm install, Waits for your approval, Fix login, 12 seconds');
  });

  it('A1 leaves room for the age and the session, whatever their titles; Allow stands beside no command that is cut', () => {
    const long = 'the cart total test fails, find out why and mend it';
    const command = 'npm install --save-dev --save-exact one-package another-package';
    const edit = { kind: 'diff', path: 'x', diff: '', added: 1, removed: 0, created: false, cut: false };
    const asked = wonders({ title: 'All tests pass. Shall I add a test for the receipt as well?' });
    const rows = needRows(
      snapshot({
        sessions: [session({ title: long })],
        needs: [
          asked,
          asks({ id: 'a2', title: 'Edit src/components/checkout/summary/total.ts', preview: edit }),
          asks({ id: 'a3', title: command, preview: { kind: 'command', command, folder: '/w' } }),
        ],
      }),
      NOW,
    );
    assert.deepEqual(
      rows.map(({ label, description }) => [label, description]),
      [
        ['All tests pass. Shall I…', '2 m · the cart total test…'],
        ['Edit src/com…mary/total.ts', '12 s · the cart total test…'],
        ['npm install --save-dev…', '12 s · the cart total test…'],
      ],
    );
    assert.ok(rows[2]?.context.includes('<part>'));
    assert.ok(rows[0]?.tooltip().includes('as well?'));
    assert.ok(rows[0]?.spoken.includes('as well?'));
  });

  it('A4 tells since when a request has waited, also when it was announced again meanwhile', () => {
    const again = asks({ askedAt: NOW - 120_000, askedAgainAt: NOW - 2_000, request: 2 });
    const [row] = needRows(snapshot({ needs: [again] }), NOW);
    assert.equal(row?.description, '2 m · Fix login');
    assert.match(row.tooltip(), /\(2 m\) · asked again: /);
  });

  it('says a command once in the tooltip, and makes no link of an address in it', () => {
    const [row] = needRows(snapshot({ needs: [asks()] }), NOW);
    assert.equal(row?.tooltip().split('npm install').length, 2);
    const command = `echo ${'x'.repeat(300)}`;
    const cut = asks({
      title: `${command.slice(0, 199)}…`,
      preview: { kind: 'command', command, folder: '/w' },
    });
    assert.equal(
      needRows(snapshot({ needs: [cut] }), NOW)[0]
        ?.tooltip()
        .split('echo').length,
      2,
    );
    const live = 'Which of https://evil.example/a, www.evil.example or me@evil.example?';
    const [asked] = needRows(snapshot({ needs: [wonders({ title: live, args: {} })] }), NOW);
    const html = new MarkdownIt({ linkify: true }).render(asked?.tooltip() ?? '');
    assert.doesNotMatch(html, /<a\b/);
    assert.doesNotMatch(
      asked?.tooltip() ?? '',
      /https?:\/\/|\w@/,
      'marked, which draws it, goes by the text itself',
    );
  });

  it('marks what can be done with a request', () => {
    const preview = {
      kind: 'diff',
      path: 'src/a.ts',
      diff: '+1',
      added: 1,
      removed: 0,
      created: false,
      cut: false,
    };
    const offers = [{ scope: 'session', match: { kind: 'tool', tool: 'edit' }, label: 'edit' }];
    const rows = needRows(snapshot({ needs: [asks({ preview, offers, handle: 'proc:7' })] }), NOW);
    assert.equal(rows[0]?.context, '<approval><part><lifted><diff><offers>');
    assert.equal(rows[0].description, '12 s · proc:7 · Fix login');
  });

  it('lists steps under the call that makes them, and under its handle once it is lifted', () => {
    const steps = [
      asks({ id: 'a1', parent: 'exec_1', call: 'x1', title: 'first' }),
      asks({ id: 'a2' }),
      asks({ id: 'a3', parent: 'exec_1', call: 'x2', title: 'second' }),
    ];
    const before = needRows(snapshot({ needs: steps }), NOW);
    assert.deepEqual(
      before.map((row) => [row.label, (row.children ?? []).map((child) => child.label)]),
      [
        ['Steps of a script', ['first', 'second']],
        ['npm install', []],
      ],
    );
    const lifted = steps.map((need, index) =>
      need.kind === 'approval' && index !== 1 ? asks({ ...need.approval, handle: 'proc:7' }) : need,
    );
    const after = needRows(snapshot({ needs: lifted, handles: [handle({ title: 'exec' })] }), NOW);
    assert.equal(after[0]?.label, 'exec');
    assert.deepEqual(after[0].subject, { handle: 'proc:7' });
    assert.equal(after[0].children?.length, 2);
  });

  it('says enough to decide in the tooltip, and the agent cannot write Markdown into it', () => {
    const title = 'echo `[x](command:evil)`';
    const [row] = needRows(snapshot({ needs: [asks({ title, why: 'No rule *allows* it.' })] }), NOW);
    const text = row?.tooltip() ?? '';
    for (const part of ['npm install', '/w', 'No rule \\*allows\\* it\\.', 'Fix login', 'local/m1', '12 s'])
      assert.ok(text.includes(part), `${part} is missing in ${text}`);
    assert.ok(!text.includes('[x](command:evil)'));
  });
});

describe('Sessions', () => {
  const rowOf = (part: Parameters<typeof session>[0], needs = [] as ReturnType<typeof asks>[]): string =>
    look(sessionRows(snapshot({ sessions: [session(part)], needs }), NOW)[0]);

  it('tells its states apart by shape', () => {
    const ended = (status: string, code?: string): object => ({
      ended: { turn: 't1', status, at: NOW - 5_000, ...(code === undefined ? {} : { code }) },
    });
    assert.match(rowOf({ state: 'running', turn: 't1' }), /^sync~spin .* 1 m · running · local.*<busy>/);
    assert.match(rowOf({ state: 'waiting', turn: 't1' }, [asks()]), /^bell-dot .* 12 s · needs you/);
    assert.match(rowOf({}, [wonders()]), /^question .* needs you/);
    assert.match(rowOf({ state: 'waiting', turn: 't1' }), /^watch /);
    assert.match(rowOf({ state: 'paused', turn: 't1' }), /^debug-pause .* paused/);
    assert.match(rowOf(ended('completed')), /^check .* 5 s · done/);
    assert.match(rowOf(ended('failed')), /^error .* failed .*<cutOff>/);
    assert.match(rowOf(ended('interrupted', 'cancelled')), /^stop-circle .* stopped .*<cutOff>/);
    assert.match(rowOf(ended('interrupted', 'host_lost')), /^debug-disconnect .*<cutOff>/);
    assert.match(rowOf({}), /^comment .* new/);
  });

  it('keeps its order whatever happens, with archived ones folded away', () => {
    const sessions = [
      session({ id: 's1', createdAt: 1, updatedAt: 99 }),
      session({ id: 's2', createdAt: 2 }),
      session({ id: 's3', createdAt: 3, archived: true }),
    ];
    const rows = sessionRows(snapshot({ sessions }), NOW);
    assert.deepEqual(
      rows.map((row) => row.id),
      ['session/s2', 'session/s1', 'archived'],
    );
    assert.equal(rows[2]?.folded, true);
    assert.deepEqual(
      rows[2].children?.map((row) => row.id),
      ['session/s3'],
    );
  });
});

describe('Handles', () => {
  const rowOf = (part: Parameters<typeof handle>[0]): string =>
    look(handleRows(snapshot({ handles: [handle(part)] }), NOW)[0]);

  it('lets the request of a lifted call be answered on the row of its handle, but not those of its steps', () => {
    const title = 'npm install';
    const waiting = handle({ title, state: 'waiting', waitsFor: 'approval', lifted: true });
    const needs = [
      { kind: 'approval', approval: approval({ id: 'a2', handle: 'proc:7', parent: 'call_0_0' }) },
      { kind: 'approval', approval: approval({ id: 'a1', handle: 'proc:7' }) },
    ] as const;
    const [row] = handleRows(snapshot({ handles: [waiting], needs: [...needs] }), NOW);
    assert.equal(row?.context, '<handle><open><approval><whole>');
    assert.deepEqual(row?.subject, { handle: 'proc:7', approval: 'a1' });
  });

  it('says how each one stands, and never calls a stop a denial nor a denial an error', () => {
    assert.match(rowOf({}), /^server-process \| npm run dev \| proc:7 · running · 3 m \| <handle><open>/);
    assert.match(rowOf({ kind: 'terminal' }), /^terminal /);
    assert.match(rowOf({ state: 'waiting', waitsFor: 'approval' }), /^bell-dot .* waits for your approval/);
    assert.match(rowOf({ state: 'held' }), /^debug-pause /);
    const ended = { state: 'ended', endedAt: NOW };
    assert.match(rowOf({ ...ended, end: 'exited', exitCode: 0 }), /^check .* done .*<ended>/);
    assert.match(rowOf({ ...ended, end: 'exited', exitCode: 2 }), /^error .* exited with 2/);
    assert.match(rowOf({ ...ended, end: 'stopped' }), /^stop-circle .* stopped/);
    assert.match(rowOf({ ...ended, end: 'denied' }), /^circle-slash .* denied/);
    assert.match(rowOf({ ...ended, end: 'expired' }), /^circle-slash .* lapsed: nobody answered/);
    assert.match(rowOf({ ...ended, end: 'lost' }), /^debug-disconnect .* ended with the host/);
  });

  it('puts what is open first', () => {
    const handles = [
      handle({ id: 'proc:1', startedAt: 1 }),
      handle({ id: 'proc:2', startedAt: 2, state: 'ended', end: 'stopped', endedAt: 3 }),
      handle({ id: 'proc:3', startedAt: 3 }),
    ];
    assert.deepEqual(
      handleRows(snapshot({ handles }), NOW).map((row) => row.id),
      ['handle/proc:3', 'handle/proc:1', 'handle/proc:2'],
    );
  });
});

describe('rows', () => {
  it('are told apart by look and by shape', () => {
    const rows = needRows(snapshot({ needs: [asks(), wonders()] }), NOW);
    const later = needRows(snapshot({ needs: [asks(), wonders()] }), NOW + 10_000);
    assert.ok(sameShape(rows, later));
    assert.ok(!sameLook(rows[0] ?? assert.fail(), later[0] ?? assert.fail()));
    assert.ok(!sameShape(rows, rows.slice(1)));
  });

  it('say ages in one unit, and tick only as often as an age can change', () => {
    assert.deepEqual(
      [0, 59_999, 60_000, 3_600_000, 90_000_000].map((passed) => age(0, passed)),
      ['0 s', '59 s', '1 m', '1 h', '1 d'],
    );
    assert.equal(age(10, 0), '0 s', 'a clock that was set back gives no negative age');
    assert.equal(nextTick([], 0), undefined);
    assert.equal(nextTick([0], 1_000), 5_000);
    assert.equal(nextTick([0], 100_000), 30_000);
  });

  it('fence code with a fence that the code cannot close', () => {
    assert.equal(fenced('a\n```\nb', 'sh', 10), '````sh\na\n```\nb\n````');
    assert.equal(fenced('1\n2\n3', '', 2), '```\n1\n2\n… (1)\n```');
    assert.equal(plain('<b>*x*</b>'), '\\<b\\>\\*x\\*\\</b\\>');
  });
});
