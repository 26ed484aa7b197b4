import { setReply } from '../state/answering';
import * as app from '../state/app';
import type { Asked } from '../state/asked';
import { isRecord, textOf } from '../state/values';
import { t } from '../strings';
import { pieces, Shown } from './shown';

interface AskFormProps {
  readonly id: string;
  readonly asked: readonly Asked[];
  readonly usable: boolean;
  readonly onAnswer: (text: string) => void;
}

interface Reply {
  readonly taken: readonly string[];
  readonly own: string;
}

const NONE: Reply = { taken: [], own: '' };

/**
 * Several questions at once, or one with several choices to take: answered together. What is filled in stays while
 * other requests are looked at.
 */
export function AskForm({ id, asked, usable, onAnswer }: AskFormProps) {
  const replies = repliesOf(app.replies.value[id]);
  const replyOf = (n: number): Reply => replies[n] ?? NONE;
  const change = (n: number, reply: Reply) =>
    setReply(id, JSON.stringify(asked.map((_, index) => (index === n ? reply : replyOf(index)))));
  const answers = asked.map((_, n) => answerOf(replyOf(n)));
  const complete = answers.every((answer) => answer !== '');
  return (
    <form
      class="ask-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (usable && complete) onAnswer(together(asked, answers));
      }}
    >
      {asked.map((one, n) => (
        <fieldset key={n} class="ask-one">
          <legend class="question-text">{pieces(one.question, 'prose')}</legend>
          {one.choices.map((choice) => {
            const { taken } = replyOf(n);
            const isTaken = taken.includes(choice.label);
            const others = one.multiple ? taken.filter((label) => label !== choice.label) : [];
            return (
              <label key={choice.label} class="ask-choice">
                <input
                  type={one.multiple ? 'checkbox' : 'radio'}
                  name={`${id}-${n}`}
                  checked={isTaken}
                  onChange={(event) =>
                    change(n, {
                      ...replyOf(n),
                      taken: event.currentTarget.checked ? [...others, choice.label] : others,
                    })
                  }
                />
                <span>
                  <Shown text={choice.label} />
                  {choice.description !== undefined && (
                    <span class="quiet ask-description">{pieces(choice.description, 'prose')}</span>
                  )}
                </span>
              </label>
            );
          })}
          <input
            type="text"
            class="text-field"
            dir="auto"
            aria-label={t('request.answerPlaceholder')}
            placeholder={t('request.answerPlaceholder')}
            value={replyOf(n).own}
            onInput={(event) => change(n, { ...replyOf(n), own: event.currentTarget.value })}
          />
        </fieldset>
      ))}
      <div class="request-buttons">
        <button type="submit" class="button" disabled={!usable || !complete}>
          {t('request.answer')}
        </button>
      </div>
    </form>
  );
}

function repliesOf(kept: string | undefined): readonly Reply[] {
  const all: unknown = kept === undefined ? [] : JSON.parse(kept);
  return !Array.isArray(all)
    ? []
    : all.map((one: unknown) =>
        isRecord(one)
          ? {
              taken: (Array.isArray(one['taken']) ? one['taken'] : []).filter(
                (label) => typeof label === 'string',
              ),
              own: textOf(one, 'own') ?? '',
            }
          : NONE,
      );
}

const answerOf = ({ taken, own }: Reply): string =>
  [...taken, ...(own.trim() === '' ? [] : [own.trim()])].join(', ');

function together(asked: readonly Asked[], answers: readonly string[]): string {
  if (asked.length === 1) return answers[0] ?? '';
  return asked.map((one, n) => `${one.question}\n→ ${answers[n] ?? ''}`).join('\n\n');
}
