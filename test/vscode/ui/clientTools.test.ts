import assert from 'node:assert/strict';
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
});
