import { t } from '../strings';
import { reveal } from '../../protocol/reveal';

/**
 * A text from outside on one stage of its own: it cannot turn the direction of what stands beside it, and what
 * it hides is shown.
 */
export function Shown({ text, class: extra }: { readonly text: string; readonly class?: string }) {
  return <bdi class={extra}>{pieces(text, 'code')}</bdi>;
}

/** Words with code between backticks, as the host writes the label of a rule. */
export function Worded({ text, class: extra }: { readonly text: string; readonly class?: string }) {
  return (
    <bdi class={extra}>
      {text
        .split('`')
        .map((piece, index) =>
          index % 2 === 1 ? <code key={index}>{pieces(piece, 'code')}</code> : pieces(piece, 'code'),
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
