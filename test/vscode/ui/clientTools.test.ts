import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../paths';
import { giveWork, openBelay, type BelayWindow } from './window';

/** What clients answer, in the real editor: a person's answer after a reload, and a tool of another extension. */
describe('client tools', () => {
  let window: BelayWindow;

  before(async () => {
    window = await openBelay({ alongside: [join(repository, 'test/fixtures/client-tools')] });
    await window.workbench.container('Belay');
  });
  after(() => window.close());

  it('C1 R6 a question is answered after a reload, and a tool that another extension has registered runs', async () => {
    const { workbench, models } = window;
    await giveWork(workbench, 'count', models, [
      {
        calls: [{ tool: 'ask', args: { question: 'Which words?', choices: ['one two', 'three'] }, id: 'q1' }],
      },
      { calls: [{ tool: 'word_count', args: { text: 'one two' }, id: 'w1' }] },
      { text: 'Counted.' },
    ]);
    await workbench.view('Needs you').row('Which words?').waitFor();
    await workbench.reload();
    await workbench.container('Belay');
    await workbench.view('Needs you').row('Which words?').waitFor();
    await workbench.runCommand('Belay: Answer…');
    await workbench.answerInput('one two');
    await workbench.view('Sessions').row('done').waitFor();
    const told = models.requests.at(-1)?.items.filter((item) => item.role === 'tool') ?? [];
    assert.deepEqual(
      told.map((item) => item.text),
      ['{"answer":"one two"}', '{"answer":"{\\"words\\":2,\\"attempt\\":1}"}'],
    );
  });

  it('C1 X8 a secret goes to the secret storage: no file, transcript or prompt of Belay’s holds it', async () => {
    const { workbench, models, code } = window;
    const value = 'hunter2-value-of-the-secret';
    await giveWork(workbench, 'sign in', models, [
      { calls: [{ tool: 'request_secret', args: { name: 'TOKEN', why: 'To sign in.' }, id: 's1' }] },
      { text: 'Signed in.' },
    ]);
    await workbench.view('Needs you').row('Secret TOKEN').waitFor();
    await workbench.runCommand('Belay: Answer…');
    await workbench.answerInput(value);
    await workbench.webview().getByText('Signed in.').waitFor();
    const told = models.requests.at(-1)?.items.find((item) => item.role === 'tool');
    assert.equal(told?.text, '{"answer":"The person has stored it."}');
    assert.ok(!JSON.stringify(models.requests.map((request) => request.body)).includes(value));
    assert.ok(!(await workbench.webview().locator('body').innerText()).includes(value));
    const files = readdirSync(code.userDataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    assert.ok(
      files.some((bytes) => bytes.includes('request_secret')),
      'the store is among them',
    );
    assert.ok(!files.some((bytes) => bytes.includes(value)));
  });
});
