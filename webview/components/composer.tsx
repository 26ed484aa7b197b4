import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { command } from '../bridge';
import * as app from '../state/app';
import type { Choice } from '../state/delivery';
import { isEmptyDraft, withDraft } from '../state/drafts';
import { saidBefore, stepThrough } from '../state/history';
import { sendDraft } from '../state/sending';
import { t } from '../strings';
import { attachImages, Attachments, ImageButton } from './attachments';
import { IconButton } from './icon';
import { MENTION_LIST, mentionId, MentionList } from './mentionList';
import { Notice } from './notices';
import { SendButtons } from './sendButtons';
import { useMention } from './useMention';

/** After the page has put the focus here, Enter sends nothing for this long, ms: that of two presses for one. */
const GIVEN_MS = 500;

/** The person's own place. Focus comes here by the person's act alone, and the text is the person's. */
export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  /** When the page has put the focus here, and nothing was written since. */
  const given = useRef(-GIVEN_MS);
  const draft = app.draft.value;
  const busy = app.busy.value;
  const session = app.shown.value;
  const failure = app.sendFailures.value[session ?? ''];
  const asked = app.focusAsked.value;
  const mention = useMention(field, draft);
  const walk = useHistory(field);

  useEffect(() => {
    if (asked.target !== 'composer') return;
    field.current?.focus();
    given.current = performance.now();
  }, [asked.number]);

  const canSend = app.hostReady.value && app.trusted.value && !app.gone.value && !isEmptyDraft(draft);
  const send = (choice: Choice) => {
    if (canSend) sendDraft(choice);
  };
  const keys = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    // While an input method composes, the keys belong to it.
    if (event.isComposing || mention.keys(event) || walk(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    // A key that is held down, or pressed twice, was meant for what led here.
    if (event.repeat || performance.now() - given.current < GIVEN_MS) return;
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
        {mention.items.length > 0 && (
          <MentionList items={mention.items} active={mention.active} pick={mention.pick} />
        )}
        <Attachments draft={draft} />
        <textarea
          ref={field}
          class="composer-text"
          rows={1}
          aria-label={t('composer.label')}
          aria-autocomplete="list"
          aria-controls={mention.items.length > 0 ? MENTION_LIST : undefined}
          aria-activedescendant={mention.items.length > 0 ? mentionId(mention.active) : undefined}
          placeholder={t(busy ? 'composer.placeholderBusy' : 'composer.placeholder')}
          value={draft.text}
          dir="auto"
          onInput={(event) => {
            given.current = -GIVEN_MS;
            write({ ...draft, text: event.currentTarget.value });
            mention.look();
          }}
          onKeyDown={keys}
          onBlur={mention.close}
          onPaste={(event) => takeFiles(event, event.clipboardData)}
          onDragOver={(event) => event.preventDefault()}
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

/** Arrow up in an empty field brings back what was said before; what is being written is never replaced. */
function useHistory(field: { readonly current: HTMLTextAreaElement | null }) {
  const at = useRef<{ readonly index: number; readonly text: string } | undefined>(undefined);
  return (event: TargetedKeyboardEvent<HTMLTextAreaElement>): boolean => {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : undefined;
    if (step === undefined || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const { text } = app.draft.peek();
    if (at.current?.text !== text) at.current = undefined;
    if (at.current === undefined && text !== '') return false;
    const said = saidBefore(app.turnsHere.peek()?.turns ?? [], app.unread.peek());
    const next = stepThrough(said, at.current?.index, step);
    if (next === undefined) return at.current !== undefined;
    event.preventDefault();
    at.current = next.index === undefined ? undefined : { index: next.index, text: next.text };
    write({ ...app.draft.peek(), text: next.text });
    if (field.current !== null) {
      field.current.value = next.text;
      field.current.setSelectionRange(next.text.length, next.text.length);
    }
    return true;
  };
}

function write(draft: ReturnType<typeof app.draft.peek>): void {
  app.drafts.value = withDraft(app.drafts.peek(), app.shown.peek(), draft);
}

/** What a message will do now. */
function Outlook() {
  return <p class="composer-line">{app.outlook.value}</p>;
}

function other(choice: Choice): Choice {
  return choice === 'steer' ? 'queue' : 'steer';
}

/** Pictures are taken as they are; files of the editor come as addresses. */
function takeFiles(event: Event, data: DataTransfer | null): void {
  const addresses = ['application/vnd.code.uri-list', 'text/uri-list']
    .map((type) => data?.getData(type) ?? '')
    .map((list) => list.split(/\r?\n/).filter((line) => /^(file|vscode-remote):/.test(line)))
    .reduce((best, other) => (best.length === 0 ? other : best));
  const files = [...(data?.files ?? [])];
  if (addresses.length === 0 && files.length === 0) return;
  event.preventDefault();
  if (addresses.length > 0) command({ command: 'attachAddresses', args: { addresses } });
  else attachImages(files);
}
