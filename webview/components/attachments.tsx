import { useRef } from 'preact/hooks';
import type { Context, Image } from '../../protocol/message';
import { active, isOn, turn } from '../state/active';
import * as app from '../state/app';
import { withDraft, type Draft } from '../state/drafts';
import { isMediaType } from '../state/persisted';
import { t } from '../strings';
import { baseName } from '../text/words';
import { Icon, IconButton } from './icon';
import { Shown } from './shown';

/** The host's limits, said here before a message is refused for them. */
const IMAGE_BYTES = 5 * 1024 * 1024;
const IMAGES_MOST = 16;

/** What goes along with the draft. */
export function Attachments({ draft }: { readonly draft: Draft }) {
  const open = active.value;
  if (open === undefined && draft.images.length === 0 && draft.context.length === 0) return null;
  return (
    <ul class="chips">
      {open !== undefined && <ActiveChip context={open} />}
      {draft.context.map((context, index) => (
        <li key={`c${index}`} class="chip" title={context.path}>
          <Icon name={contextIcon(context)} />
          <Shown text={contextName(context)} class="chip-text" />
          <IconButton
            icon="close"
            label={t('composer.remove', { name: contextName(context) })}
            onClick={() => change({ ...draft, context: draft.context.filter((other) => other !== context) })}
          />
        </li>
      ))}
      {draft.images.map((image, index) => (
        <li key={`i${index}`} class="chip picture">
          <img src={imageSource(image)} alt={t('part.image', { number: index + 1 })} />
          <IconButton
            icon="close"
            label={t('composer.remove', { name: t('part.image', { number: index + 1 }) })}
            onClick={() => change({ ...draft, images: draft.images.filter((other) => other !== image) })}
          />
        </li>
      ))}
    </ul>
  );
}

/** What is open in the editor: off it shows a plus, on what it is and a cross. */
function ActiveChip({ context }: { readonly context: Context }) {
  const on = isOn.value;
  const name = contextName(context);
  const label = t(on ? 'composer.activeOn' : 'composer.activeOff', { name });
  return (
    <li class={`chip active${on ? '' : ' off'}`}>
      <button
        type="button"
        class="chip-toggle"
        aria-pressed={on}
        aria-label={t('composer.active', { name })}
        title={label}
        onClick={() => turn(context, !on)}
      >
        <Icon name={on ? contextIcon(context) : 'add'} />
        <Shown text={name} class="chip-text" />
        {on && <Icon name="close" />}
      </button>
    </li>
  );
}

export function ImageButton() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="file-media" label={t('composer.image')} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        class="only-spoken"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          attachImages([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

export function attachImages(files: readonly File[]): void {
  for (const file of files) {
    if (!isMediaType(file.type)) refuse(t('composer.imageKind', { name: file.name }));
    else if (file.size > IMAGE_BYTES) refuse(t('composer.imageTooLarge', { name: file.name }));
    else void attach(file, file.type);
  }
}

async function attach(file: File, mediaType: Image['mediaType']): Promise<void> {
  const data = toBase64(new Uint8Array(await file.arrayBuffer()));
  const draft = app.draft.peek();
  if (draft.images.length >= IMAGES_MOST) refuse(t('composer.imageMost', { count: IMAGES_MOST }));
  else change({ ...draft, images: [...draft.images, { mediaType, data }] });
}

/** Pieces of the bytes go through `fromCharCode` one by one: a whole picture is too many arguments. */
function toBase64(bytes: Uint8Array): string {
  const piece = 0x8000;
  let binary = '';
  for (let from = 0; from < bytes.length; from += piece) {
    binary += String.fromCharCode(...bytes.subarray(from, from + piece));
  }
  return btoa(binary);
}

export function imageSource(image: Image): string {
  return `data:${image.mediaType};base64,${image.data}`;
}

export function contextName(context: Context): string {
  const name = baseName(context.path);
  return context.range === undefined ? name : `${name}:${context.range[0]}-${context.range[1]}`;
}

export function contextIcon(context: Context): string {
  switch (context.kind) {
    case 'file':
      return 'file';
    case 'folder':
      return 'folder';
    case 'selection':
      return 'selection';
    case 'problems':
      return 'warning';
    case 'terminal':
      return 'terminal';
  }
}

function refuse(text: string): void {
  app.sendFailures.value = { ...app.sendFailures.peek(), [app.shown.peek() ?? '']: text };
  app.say(text);
}

function change(draft: Draft): void {
  app.drafts.value = withDraft(app.drafts.peek(), app.shown.peek(), draft);
}
