import { t } from '../strings';
import { reveal } from '../../protocol/reveal';
import { wordsIn } from '../../protocol/worded';

/**
 * A text from outside on one stage of its own: it cannot turn the direction of what stands beside it, and what
 * it hides is shown.
 */
export function Shown({ text, class: extra }: { readonly text: string; readonly class?: string }) {
  return <bdi class={extra}>{pieces(text, 'code')}</bdi>;
}

/** Words with code between backticks, as the host writes the label of a rule and why it asks. */
export function Worded({ text, class: extra }: { readonly text: string; readonly class?: string }) {
  return (
    <bdi class={extra}>
      {wordsIn(text).map((word, index) =>
        word.code ? <code key={index}>{pieces(word.text, 'code')}</code> : pieces(word.text, 'code'),
      )}
    </bdi>
  );
}

/** The pieces alone, for elements that isolate by themselves. */
export function pieces(text: string, kind: 'code' | 'prose') {
  return reveal(text, kind).map((piece, index) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      <span key={index} class="hidden-character" title={t('app.hiddenCharacter', { code: piece.code })}>
        {piece.code}
      </span>
    ),
  );
}
