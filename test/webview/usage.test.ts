/** How full the model is: what a person reads in the header before the conversation is summed up. */
import assert from 'node:assert/strict';
import type { TurnView } from '../../protocol';
import { windowFill } from '../../webview/state/window';
import { Browsing } from './support/openPage';
import { worked } from './support/sessions';

const models = [
  { id: 'p/a', name: 'A', provider: 'p', ready: true, contextWindow: 1_000 },
  { id: 'p/b', name: 'B', provider: 'p', ready: true, contextWindow: 2_000 },
  { id: 'p/c', name: 'C', provider: 'p', ready: true },
];
const turn = (context?: TurnView['context'], parts: TurnView['parts'] = []): TurnView =>
  ({ parts, ...(context === undefined ? {} : { context }) }) as TurnView;
const summedUp: TurnView['parts'] = [{ kind: 'compacted', summary: 's', at: 0 }];

describe('the window of a model', () => {
  const counted = turn({ model: 'p/a', tokens: 380 });

  it('T7 T9 is filled as the newest answer has counted, for the model that is at work now', () => {
    assert.deepEqual(windowFill([turn({ model: 'p/a', tokens: 9 }), counted, turn()], 'p/a', models), {
      tokens: 380,
      of: 1_000,
    });
    assert.equal(windowFill([counted], 'p/b', models)?.of, 2_000);
  });

  it('T7 is not known before an answer, after a compaction, and of a model that nobody knows the window of', () => {
    assert.equal(windowFill([turn()], 'p/a', models), undefined);
    assert.equal(windowFill([counted, turn(undefined, summedUp)], 'p/a', models), undefined);
    assert.equal(
      windowFill([counted, turn({ model: 'p/a', tokens: 1 }, summedUp)], 'p/a', models)?.tokens,
      1,
    );
    assert.equal(windowFill([counted], 'p/c', models), undefined);
    assert.equal(windowFill([counted], undefined, models), undefined);
  });

  describe('in the header', () => {
    let browsing: Browsing;
    before(async () => void (browsing = await Browsing.start()));
    afterEach(() => browsing.closePages());

    it('T7 T9 is a share with the money beside it, the figures when it is pointed at, and a summary behind it', async () => {
      const { editor, story } = worked();
      const page = await browsing.open(editor);
      const figure = page.locator('.usage');
      await figure.getByText('9% of the window · $0.04').waitFor();
      const label = (await figure.getAttribute('aria-label')) ?? '';
      await figure.click();
      await page.getByRole('menuitem', { name: /^Summarise before the next request/ }).click();
      assert.deepEqual(await editor.heard('session/compact'), [{ session: 's1', by: 'you from the chat' }]);
      story.emit('compaction_asked', { by: 'you from the chat' });
      await page.getByText('is summarised before the next request, as you asked').waitFor();
      assert.match(label, /^9% of the model’s window: 18,012 of 200,000 tokens\nThe session so far: 17,200/);
    });
  });
});
