import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { command } from '../bridge';
import * as app from '../state/app';
import type { Choice } from '../state/delivery';
import { isEmptyDraft, withDraft } from '../state/drafts';
import { sendDraft } from '../state/sending';
import { t } from '../strings';
import { attachImages, Attachments, ImageButton } from './attachments';
import { IconButton } from './icon';
import { SendButtons } from './sendButtons';
import { Notice } from './notices';

/** The person's own place. Focus comes here by the person's act alone, and the text is the person's. */
export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = app.draft.value;
  const busy = app.busy.value;
  const session = app.session.value?.id;
  const failure = app.sendFailures.value[session ?? ''];
  const asked = app.focusAsked.value;

  useEffect(() => {
    if (asked.target === 'composer') field.current?.focus();
  }, [asked.number]);

  const canSend = app.hostReady.value && app.trusted.value && !app.gone.value && !isEmptyDraft(draft);
  const send = (choice: Choice) => {
    if (canSend) sendDraft(choice);
  };
  const keys = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    // While an input method composes, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(busy && event.altKey ? other(app.delivery.peek()) : app.delivery.peek());
  };

  return (
    <footer class="composer">
      {failure !== undefined && (
        <Notice icon="error" tone="bad">
          <p>{t('composer.failed', { detail: failure })}</p>
        </Notice>
      )}
      <div class="composer-box">
        <Attachments draft={draft} />
        <textarea
          ref={field}
          class="composer-text"
          rows={1}
          aria-label={t('composer.label')}
          placeholder={t(busy ? 'composer.placeholderBusy' : 'composer.placeholder')}
          value={draft.text}
          dir="auto"
          onInput={(event) => write({ ...draft, text: event.currentTarget.value })}
          onKeyDown={keys}
          onPaste={(event) => takeFiles(event, event.clipboardData)}
          onDrop={(event) => takeFiles(event, event.dataTransfer)}
        />
        <div class="composer-tools">
          <IconButton
            icon="mention"
            label={t('composer.attach')}
            onClick={() =>
              command({ command: 'pickContext', args: session === undefined ? {} : { session } })
            }
          />
          <ImageButton />
          <span class="grows" />
          <SendButtons enabled={canSend} send={send} />
        </div>
      </div>
      <Outlook />
    </footer>
  );
}

function write(draft: ReturnType<typeof app.draft.peek>): void {
  app.drafts.value = withDraft(app.drafts.peek(), app.session.peek()?.id, draft);
}

/** What a message will do now. */
function Outlook() {
  return <p class="composer-line">{app.outlook.value}</p>;
}

function other(choice: Choice): Choice {
  return choice === 'steer' ? 'queue' : 'steer';
}

function takeFiles(event: Event, data: DataTransfer | null): void {
  const files = [...(data?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  attachImages(files);
}
