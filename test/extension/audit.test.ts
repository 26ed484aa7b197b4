import './vscodeStub';
import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { auditMarkdown } from '../../extension/documents/auditModel';
import { day } from '../../extension/views/ages';
import { auditRows, MORE } from '../../extension/views/auditRows';
import type { AuditEntry } from '../../protocol';
import { plannedCall, Rig } from '../engine/rig';
import { NOW, session, snapshot } from './samples';

const entry = (part: Partial<Record<keyof AuditEntry, unknown>>): AuditEntry =>
  ({
    id: 1,
    session: 's1',
    turn: 't1',
    call: 'call_0_0',
    tool: 'shell',
    title: 'npm test',
    why: 'No rule allows this command.',
    askedAt: NOW - 60_000,
    ran: true,
    outcome: 'completed',
    decision: 'allow',
    by: 'you (tree)',
    ...part,
  }) as AuditEntry;

describe('Audit', () => {
  const lists = snapshot({ sessions: [session()] });
  const rows = (entries: AuditEntry[], more = false) => auditRows(entries, more, lists, NOW);

  it('says what, who decided, how it ended, in which session and when', () => {
    const [row] = rows([entry({})]);
    assert.equal(row?.label, 'npm test');
    assert.equal(row.description, 'allowed by you (tree) · completed · Fix login · 1 m');
    assert.match(row.tooltip(), /No rule allows this command/);
  });

  it('says of a question who answered it, and names the mode where that allowed', () => {
    const own = { tool: 'ask', rule: 'own', why: 'It only touches the agent’s own records.' };
    const [answered] = rows([entry({ ...own, by: 'you from the chat' })]);
    assert.match(answered?.description ?? '', /^answered by you from the chat · /);
    const [free] = rows([entry({ by: undefined, rule: 'mode ask' })]);
    assert.match(free?.description ?? '', /^allowed by mode “Ask” · /);
  });

  it('A1 L12 says of what the host has let run unasked, and of a question without an answer, that it needs no permission', async () => {
    const rig = await new Rig().open();
    await rig.send(await rig.session(), 'go');
    await rig.quiet();
    rig.answers[0]?.give({ text: '', calls: [plannedCall('n', 'note', { text: 'x' })] });
    await rig.quiet();
    rig.answers[0]?.give({ text: '', calls: [plannedCall('q', 'ask')] });
    await rig.quiet();
    const entries = rig.ledger.look((tables) => tables.auditPage({}, undefined, 10));
    await rig.close();
    const words = rows([...entries]).map(({ description }) => description.split(' · ')[0]);
    assert.deepEqual(words, ['no permission needed', 'no permission needed']);
  });

  it('says that a command was changed before it was allowed, with both texts, in the row and on the page', () => {
    const changed = entry({ title: 'npm test', edited: { from: 'npm tset', to: 'npm test' } });
    const [row] = rows([changed]);
    assert.match(row?.description ?? '', /^changed and allowed by you \(tree\) /);
    assert.match(row?.tooltip() ?? '', /npm test[^]*The agent asked for:[^]*npm tset/);
    assert.match(
      auditMarkdown([changed], false, () => 'Fix login'),
      /npm test \\\(the agent asked for\\: npm tset/,
    );
  });

  it('tells by the shape what is open, was not allowed, was withdrawn, went well or failed', () => {
    const icons = rows([
      entry({ id: 1, outcome: undefined, decision: undefined, ran: false }),
      entry({ id: 2, decision: 'deny', outcome: 'approval_denied', ran: false }),
      entry({ id: 3, decision: undefined, outcome: 'withdrawn', ran: false }),
      entry({ id: 4 }),
      entry({ id: 5, outcome: 'tool_failed' }),
    ]).map((row) => row.icon);
    assert.deepEqual(icons, ['clock', 'circle-slash', 'stop-circle', 'check', 'error']);
  });

  it('ends with a row that asks for older entries, when there are some', () => {
    assert.equal(rows([entry({})], true).at(-1)?.id, MORE);
    assert.equal(rows([entry({})]).length, 1);
  });
});

describe('the audit as a document', () => {
  it('shows what the agent wrote and draws, links and loads nothing of it, in any column', () => {
    const live = '` ![p](https://evil.example/p.png) <img src=x> [a](command:x) | **b**\n# c `';
    const fields = { title: live, why: live, by: live, outcome: live };
    const text = auditMarkdown([entry(fields), entry({ rule: live, by: undefined })], false, () => live);
    const html = new MarkdownIt({ html: true, linkify: true }).render(text);
    assert.doesNotMatch(html, /<(?:img|a|strong|code)\b/);
    assert.equal(html.split('<h1>').length, 2, 'its own heading only');
    assert.equal(html.split('<tr>').length, 4, 'one row each, below the heads');
    assert.equal(html.split('<td>').length, 1 + 2 * 7, 'no column more');
    assert.equal(html.split('![p](https://evil.example/p.png)').length, 1 + 7, 'all of it is to be read');
  });

  it('has a table for each day, with its date once and the times of this machine', () => {
    const at = new Date(2026, 10, 30, 14, 5, 6).getTime();
    const earlier = new Date(2026, 10, 29, 9, 0, 0).getTime();
    const entries = [entry({ askedAt: at }), entry({ askedAt: at - 1_000 }), entry({ askedAt: earlier })];
    const html = new MarkdownIt().render(auditMarkdown(entries, false, () => 'Fix login'));
    const days = [...html.matchAll(/<h2>(.*)<\/h2>/g)].map(([, day]) => day);
    assert.deepEqual(days, [at, earlier].map(day));
    assert.equal(html.split(new Date(at).toLocaleTimeString().replace(/\s/g, '\u00a0')).length, 2);
    assert.doesNotMatch(html, /T\d\d:|Z</, 'no times for machines');
  });

  it('breaks a word that would push the other columns out of sight, and keeps a time in one line', () => {
    const html = new MarkdownIt().render(
      auditMarkdown([entry({ title: `echo ${'x'.repeat(100)}` })], false, () => 'Fix login'),
    );
    const [time = '', title = ''] = [...html.matchAll(/<td>(.*)<\/td>/g)].map(([, text]) => text ?? '');
    const x = (times: number): string => 'x'.repeat(times);
    assert.equal(title, `echo ${x(40)}\u200b${x(40)}\u200b${x(20)}`);
    assert.match(time, /\d/);
    assert.doesNotMatch(time, / /);
  });
});
