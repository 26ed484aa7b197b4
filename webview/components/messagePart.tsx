import { useState } from 'preact/hooks';
import type { Part } from '../../protocol/transcript';
import type { Context, Image } from '../../protocol/message';
import * as app from '../state/app';
import { addContext, appendText, withDraft } from '../state/drafts';
import { t } from '../strings';
import { contextIcon, contextName, imageSource } from './attachments';
import { Clamp } from './clamp';
import { GoBack } from './goBack';
import { Icon, IconButton } from './icon';
import { pieces, Shown } from './shown';

type MessagePartView = Extract<Part, { kind: 'message' }>;

export function MessagePart({ part, turn }: { readonly part: MessagePartView; readonly turn: string }) {
  const [goesBack, setGoesBack] = useState(false);
  const view = app.turnsHere.value?.turns.find((one) => one.turn === turn);
  const begins = part.step === 0 && view?.parts.find(({ kind }) => kind === 'message') === part;
  const canGoBack = app.hostReady.value && app.trusted.value && !app.busy.value;
  return (
    <article class="message" aria-label={t('part.you')}>
      <header class="message-head">
        <span class="who">{t('part.you')}</span>
        {part.step > 0 && <span class="quiet">{t('part.readAt', { step: part.step })}</span>}
        <span class="grows" />
        <span class="tools">
          {begins && (
            <IconButton
              icon="discard"
              label={t(app.busy.value ? 'back.busy' : 'back.label')}
              disabled={!canGoBack}
              onClick={() => setGoesBack(true)}
            />
          )}
          {app.lastMessage.value === part.message && (
            <IconButton icon="edit" label={t('part.again')} onClick={() => writeAgain(part)} />
          )}
        </span>
      </header>
      <MessageBody text={part.text} images={part.images} context={part.context} />
      {goesBack && view !== undefined && <GoBack view={view} close={() => setGoesBack(false)} />}
    </article>
  );
}

/** Puts a message into the composer once more. What is being written there stays. */
function writeAgain({ text, images = [], context = [] }: MessagePartView): void {
  const session = app.session.peek()?.id;
  const written = appendText(app.draft.peek(), text);
  const draft = addContext({ ...written, images: [...written.images, ...images] }, context);
  app.drafts.value = withDraft(app.drafts.peek(), session, draft);
  app.takeTo('composer');
}

interface MessageBodyProps {
  readonly text: string;
  readonly images: readonly Image[] | undefined;
  readonly context: readonly Context[] | undefined;
}

/** A person's message as it was written: no Markdown, so that what was sent is what is seen. */
export function MessageBody({ text, images = [], context = [] }: MessageBodyProps) {
  return (
    <>
      {text !== '' && (
        <Clamp text={text}>{(shown) => <p class="message-text">{pieces(shown, 'prose')}</p>}</Clamp>
      )}
      {context.length > 0 && (
        <ul class="chips">
          {context.map((item, index) => (
            <li key={index} class="chip" title={item.path}>
              <Icon name={contextIcon(item)} />
              <Shown text={contextName(item)} class="chip-text" />
            </li>
          ))}
        </ul>
      )}
      {images.map((image, index) => (
        <img
          key={index}
          class="picture"
          src={imageSource(image)}
          alt={t('part.image', { number: index + 1 })}
        />
      ))}
    </>
  );
}
