import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../protocol/message';
import * as app from '../state/app';
import { editOf, forgetEdit, writeEdit } from '../state/edits';
import { editMessage, moveMessage, removeMessage } from '../state/sending';
import { t } from '../strings';
import { Icon, IconButton } from './icon';
import { MessageBody } from './messagePart';

/** Messages that no turn has read yet, each with its state, and what is on its way to the host. */
export function Unread() {
  const unread = app.unread.value;
  const queued = unread.filter((message) => message.delivery === 'queue');
  const accepted = new Set(unread.map((message) => message.clientId));
  const session = app.shown.value;
  const sending = app.outgoing.value.filter(
    (message) => message.session === session && !accepted.has(message.clientId),
  );
  return (
    <>
      {unread.map((message) => (
        <UnreadMessage
          key={message.id}
          message={message}
          place={queued.indexOf(message)}
          count={queued.length}
        />
      ))}
      {sending.map((message) => (
        <article key={message.clientId} class="message unread" aria-label={t('part.you')}>
          <header class="message-head">
            <span class="who">{t('part.you')}</span>
            <span class="quiet">{t(app.hostReady.value ? 'unread.sending' : 'unread.held')}</span>
          </header>
          <MessageBody
            text={message.draft.text}
            images={message.draft.images}
            context={message.draft.context}
          />
        </article>
      ))}
    </>
  );
}

interface UnreadProps {
  readonly message: Message;
  /** Among the queued ones; -1 for a steer. */
  readonly place: number;
  readonly count: number;
}

function UnreadMessage({ message, place, count }: UnreadProps) {
  const [asked, setAsked] = useState(false);
  const editing = asked || editOf(message) !== undefined;
  const queued = message.delivery === 'queue';
  return (
    <article class="message unread" aria-label={t('part.you')}>
      <header class="message-head">
        <span class="who">{t('part.you')}</span>
        <span class="quiet">
          <Icon name={message.handed === undefined ? 'clock' : 'arrow-right'} /> {t(stateOf(message))}
        </span>
        <span class="grows" />
        {!editing && message.handed === undefined && (
          <span class="tools">
            {place > 0 && (
              <IconButton
                icon="arrow-up"
                label={t('unread.up')}
                onClick={() => moveMessage(message.id, -1)}
              />
            )}
            {queued && place < count - 1 && (
              <IconButton
                icon="arrow-down"
                label={t('unread.down')}
                onClick={() => moveMessage(message.id, 1)}
              />
            )}
            <IconButton icon="edit" label={t('unread.edit')} onClick={() => setAsked(true)} />
            <IconButton icon="trash" label={t('unread.remove')} onClick={() => removeMessage(message.id)} />
          </span>
        )}
      </header>
      {editing ? (
        <Editor
          message={message}
          takesFocus={asked}
          done={() => {
            forgetEdit(message);
            setAsked(false);
          }}
        />
      ) : (
        <MessageBody text={message.text} images={message.images} context={message.context} />
      )}
    </article>
  );
}

function stateOf(message: Message) {
  if (message.handed !== undefined) return `unread.handed.${message.handed}` as const;
  if (isKept(message)) return 'unread.kept';
  return message.delivery === 'queue' ? 'unread.queued' : 'unread.waiting';
}

/** An idle session reads what it has at once, but not what came before its turn was broken off; nobody can continue it
 * where nothing may run. */
function isKept({ at }: Message): boolean {
  const session = app.session.value;
  const ended = session?.ended;
  if (session?.state !== 'idle' || ended === undefined || ended.at < at) return false;
  if (app.paused.value || !app.trusted.value || app.snapshot.value?.host.readOnly === true) return false;
  return ended.status === 'failed' || ended.code === 'host_lost' || ended.code === 'host_stopped';
}

interface EditorProps {
  readonly message: Message;
  /** The person has just asked for it; one that was open before a reload leaves the focus where it is. */
  readonly takesFocus: boolean;
  readonly done: () => void;
}

function Editor({ message, takesFocus, done }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = editOf(message) ?? message.text;
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus();
  }, []);
  const save = () => {
    done();
    if (text.trim() !== '' && text !== message.text) editMessage(message, text);
  };
  return (
    <div class="edit">
      <textarea
        ref={field}
        class="composer-text"
        aria-label={t('unread.text')}
        value={text}
        rows={2}
        dir="auto"
        onInput={(event) => writeEdit(message, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') done();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          save();
        }}
      />
      <div class="buttons">
        <button type="button" class="button" disabled={text.trim() === ''} onClick={save}>
          {t('unread.save')}
        </button>
        <button type="button" class="button secondary" onClick={done}>
          {t('unread.cancel')}
        </button>
      </div>
    </div>
  );
}
