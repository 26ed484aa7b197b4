import type { ComponentChildren } from 'preact';
import { isForm } from '../../protocol/form';
import type { Question } from '../../protocol/question';
import * as app from '../state/app';
import { answerQuestion, flightKey, setReply } from '../state/answering';
import { isRecord, textOf } from '../state/values';
import { t } from '../strings';
import { revealed } from '../text/reveal';
import { Lapse, RequestHead } from './approvalCard';
import { Fields } from './fields';
import { FormFields } from './formFields';
import { pieces, Shown } from './shown';

interface QuestionCardProps {
  readonly question: Question;
  readonly settled: boolean;
  readonly pager: ComponentChildren;
}

/** A question of the agent, with its choices and room for an answer of one's own. */
export function QuestionCard({ question, settled, pager }: QuestionCardProps) {
  const reply = app.replies.value[question.id] ?? '';
  const sending = app.inFlight.value.has(flightKey(question.id));
  const usable = !sending && app.hostReady.value;
  const { text, choices, rest } = readArguments(question);
  const asked = isForm(question.args) ? question.args : undefined;
  const send = (answer: string) => {
    if (usable && answer.trim() !== '') answerQuestion(question, answer.trim());
  };
  return (
    <div
      class="request"
      data-settled={settled ? 'yes' : 'no'}
      role="group"
      aria-label={t('request.question', { title: revealed(question.title) })}
    >
      <RequestHead
        icon="question"
        title={question.title}
        since={question.askedAt}
        whole
        sending={sending}
        pager={pager}
      >
        {question.handle !== undefined && <span class="handle">{question.handle}</span>}
      </RequestHead>
      <div class="request-preview">
        {text !== undefined && text !== question.title && (
          <p class="question-text">{pieces(text, 'prose')}</p>
        )}
        {rest !== undefined && <Fields value={rest} />}
        {choices.length > 0 && (
          <div class="choices" role="group" aria-label={t('request.choices')}>
            {choices.map((choice) => (
              <button
                key={choice}
                type="button"
                class="button secondary choice"
                disabled={!usable || !settled}
                onClick={() => send(choice)}
              >
                <Shown text={choice} />
              </button>
            ))}
          </div>
        )}
      </div>
      {question.lapsesAt !== undefined && (
        <p class="request-why">
          <Lapse at={question.lapsesAt} />
        </p>
      )}
      {question.owner !== undefined && <p class="quiet">{t('request.owner', { owner: question.owner })}</p>}
      {asked !== undefined ? (
        <FormFields question={question} asked={asked} usable={usable && settled} />
      ) : (
        <div class="request-buttons">
          <textarea
            class="text-field"
            rows={1}
            dir="auto"
            aria-label={t('request.answerPlaceholder')}
            placeholder={t('request.answerPlaceholder')}
            value={reply}
            onInput={(event) => setReply(question.id, event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              send(reply);
            }}
          />
          <button
            type="button"
            class="button"
            disabled={!usable || reply.trim() === ''}
            onClick={() => send(reply)}
          >
            {t('request.answer')}
          </button>
        </div>
      )}
    </div>
  );
}

/** `ask` has a question and choices; any other client tool shows its arguments as they are. */
function readArguments(question: Question) {
  const args = isRecord(question.args) ? question.args : {};
  const text = textOf(args, 'question');
  const listed = args['choices'];
  const choices = Array.isArray(listed)
    ? listed.filter((choice): choice is string => typeof choice === 'string')
    : [];
  return { text, choices: [...new Set(choices)], rest: text === undefined ? question.args : undefined };
}
