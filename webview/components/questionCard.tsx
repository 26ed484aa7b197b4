import type { ComponentChildren } from 'preact';
import { isForm } from '../../protocol/form';
import type { Question } from '../../protocol/question';
import { command } from '../bridge';
import * as app from '../state/app';
import { answerQuestion, declineQuestion, flightKey, setReply } from '../state/answering';
import { askedOf, isForEditor } from '../state/asked';
import { isRecord, textOf } from '../state/values';
import { t } from '../strings';
import { revealed } from '../../protocol/reveal';
import { Lapse, RequestHead } from './approvalCard';
import { AskForm } from './askForm';
import { Fields } from './fields';
import { FormFields } from './formFields';
import { pieces, Shown } from './shown';

interface QuestionCardProps {
  readonly question: Question;
  readonly settled: boolean;
  readonly pager: ComponentChildren;
}

/** A question of the agent, answered in the way that its tool needs. */
export function QuestionCard({ question, settled, pager }: QuestionCardProps) {
  const sending = app.inFlight.value.has(flightKey(question.id));
  const usable = !sending && app.hostReady.value;
  const send = (text: string) => {
    if (usable && text.trim() !== '') answerQuestion(question, text.trim());
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
      <Body question={question} usable={usable} settled={settled} send={send} />
      {question.lapsesAt !== undefined && (
        <p class="request-why">
          <Lapse at={question.lapsesAt} />
        </p>
      )}
      {question.owner !== undefined && <p class="quiet">{t('request.owner', { owner: question.owner })}</p>}
    </div>
  );
}

interface BodyProps {
  readonly question: Question;
  readonly usable: boolean;
  readonly settled: boolean;
  readonly send: (text: string) => void;
}

function Body({ question, usable, settled, send }: BodyProps) {
  if (isForEditor(question)) return <InEditor question={question} usable={usable && settled} />;
  if (isForm(question))
    return (
      <>
        <div class="request-preview">
          {question.args.question !== question.title && (
            <p class="question-text">{pieces(question.args.question, 'prose')}</p>
          )}
        </div>
        <FormFields question={question} asked={question.args} usable={usable && settled} />
      </>
    );
  const asked = askedOf(question);
  const [only] = asked;
  if (asked.length > 1 || only?.multiple === true)
    return <AskForm id={question.id} asked={asked} usable={usable} onAnswer={send} />;
  return (
    <>
      <div class="request-preview">
        {only === undefined ? (
          <Fields value={question.args} />
        ) : (
          only.question !== question.title && <p class="question-text">{pieces(only.question, 'prose')}</p>
        )}
        {only !== undefined && only.choices.length > 0 && (
          <div class="choices" role="group" aria-label={t('request.choices')}>
            {only.choices.map((choice) => (
              <button
                key={choice.label}
                type="button"
                class="button secondary choice"
                disabled={!usable || !settled}
                onClick={() => send(choice.label)}
              >
                <Shown text={choice.label} />
                {choice.description !== undefined && (
                  <span class="quiet ask-description">{pieces(choice.description, 'prose')}</span>
                )}
              </button>
            ))}
          </div>
        )}
      </div>
      <InWords question={question} usable={usable} send={send} />
    </>
  );
}

/** Room for an answer of one's own. */
function InWords({ question, usable, send }: Omit<BodyProps, 'settled'>) {
  const reply = app.replies.value[question.id] ?? '';
  return (
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
  );
}

/** Files are picked and secrets entered in the editor's own dialogs: a secret never passes through this page. */
function InEditor({ question, usable }: { readonly question: Question; readonly usable: boolean }) {
  const isSecret = question.tool === 'request_secret';
  const why = isRecord(question.args) ? textOf(question.args, 'why') : undefined;
  return (
    <>
      <div class="request-preview">
        {why !== undefined && <p class="question-text">{pieces(why, 'prose')}</p>}
        {isSecret && <p class="quiet">{t('request.secretNote')}</p>}
      </div>
      <div class="request-buttons">
        <button
          type="button"
          class="button"
          disabled={!usable}
          onClick={() => command({ command: 'answerQuestion', args: { question: question.id } })}
        >
          {t(isSecret ? 'request.enterSecret' : 'request.pickFiles')}
        </button>
        <button
          type="button"
          class="button secondary"
          disabled={!usable}
          onClick={() => declineQuestion(question)}
        >
          {t('request.decline')}
        </button>
      </div>
    </>
  );
}
