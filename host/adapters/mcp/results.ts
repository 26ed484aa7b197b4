/**
 * What a server answered, as a model gets it: a JSON object, cut where it is long and kept whole beside it
 * (T7, M4), pictures apart (T8). Pure. What is not as the protocol says becomes a failure with its reason.
 */
import { z } from 'zod';
import {
  IMAGE_BYTES,
  IMAGES_PER_MESSAGE,
  Image,
  RESULT_KEPT_BYTES,
  SHOWN_BYTES,
  type Image as Picture,
} from '../../../protocol';
import { Capture } from '../../base/capture';
import { redact, redactDeep, type Secrets } from '../../base/redact';
import type { CallResult } from '../../engine/ports';

const Resource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const Block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: Resource }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
  }),
]);
type Block = z.infer<typeof Block>;

const ToolResult = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

export function resultOf(answer: unknown, secrets: Secrets): CallResult {
  const parsed = ToolResult.safeParse(answer);
  const blocks = parsed.success ? blocksOf(parsed.data.content ?? []) : undefined;
  if (!parsed.success || blocks === undefined)
    return {
      output: { error: 'tool_failed', detail: 'The server’s answer is not what the protocol says.' },
      failed: true,
    };
  const { structuredContent: structured, isError = false } = parsed.data;
  const images: Picture[] = [];
  const text = redact(
    blocks
      .map((block) => textOf(block, images))
      .filter((part) => part !== '')
      .join('\n'),
    secrets,
  );
  const saysTheSame = structured !== undefined && sameData(text, structured);
  const parts = [
    ...(text === '' || saysTheSame ? [] : [cut(isError ? 'detail' : 'text', text)]),
    ...(structured === undefined ? [] : [cutData('structured', redactDeep(structured, secrets))]),
  ];
  const omitted = merged(parts.map((part) => part.omitted));
  const output = {
    ...(isError ? { error: 'tool_failed', detail: 'The tool failed and did not say why.' } : {}),
    ...merged(parts.map((part) => part.shown)),
    ...(Object.keys(omitted).length === 0 ? {} : { omitted_bytes: omitted }),
  };
  const kept = parts.flatMap((part) => part.kept);
  return {
    output,
    failed: isError,
    ...(images.length === 0 ? {} : { images }),
    ...(kept.length === 0 ? {} : { kept }),
  };
}

/** Undefined when one of them is none. A kind that is newer than this list is named. */
function blocksOf(content: readonly unknown[]): readonly Block[] | undefined {
  const blocks: Block[] = [];
  for (const raw of content) {
    const block = Block.safeParse(raw);
    if (block.success) blocks.push(block.data);
    else {
      const named = z.looseObject({ type: z.string() }).safeParse(raw);
      if (!named.success || KNOWN.has(named.data.type)) return undefined;
      blocks.push({ type: 'text', text: `[${named.data.type}: not shown]` });
    }
  }
  return blocks;
}

const KNOWN = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** What a block says as text; a picture goes to the others and leaves nothing, or a note of why not. */
function textOf(block: Block, images: Picture[]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return picture(block.data, block.mimeType, images);
    case 'audio':
      return `[${block.mimeType}, ${bytesOf(block.data)} bytes: not shown]`;
    case 'resource': {
      const { uri, mimeType = '', text, blob } = block.resource;
      if (text !== undefined) return `[${uri}]\n${text}`;
      if (blob !== undefined && mimeType.startsWith('image/'))
        return `[${uri}]${picture(blob, mimeType, images)}`;
      return `[${uri} ${mimeType}, ${bytesOf(blob ?? '')} bytes: not shown]`;
    }
    case 'resource_link':
      return `[${block.uri}${block.name === undefined ? '' : ` "${block.name}"`}]${block.description === undefined ? '' : ` ${block.description}`}`;
  }
}

function picture(data: string, mediaType: string, images: Picture[]): string {
  const image = Image.safeParse({ data, mediaType });
  if (image.success && bytesOf(data) <= IMAGE_BYTES && images.length < IMAGES_PER_MESSAGE) {
    images.push(image.data);
    return '';
  }
  return `[${mediaType}, ${bytesOf(data)} bytes: not shown]`;
}

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

const merged = <T>(records: readonly Readonly<Record<string, T>>[]): Record<string, T> =>
  Object.fromEntries(records.flatMap((record) => Object.entries(record)));

interface Part {
  readonly shown: Readonly<Record<string, unknown>>;
  readonly omitted: Readonly<Record<string, number>>;
  readonly kept: readonly { readonly name: string; readonly text: string }[];
}

/** The head and tail of a long text, with what is kept of it whole. */
function cut(name: string, text: string): Part {
  const bytes = Buffer.byteLength(text);
  if (bytes <= SHOWN_BYTES) return { shown: { [name]: text }, omitted: {}, kept: [] };
  const whole = new Capture(RESULT_KEPT_BYTES);
  whole.add(Buffer.from(text));
  const { text: shown, omitted } = whole.shown(SHOWN_BYTES);
  return {
    shown: { [name]: shown },
    omitted: { [name]: omitted },
    kept: [{ name, text: bytes <= RESULT_KEPT_BYTES ? text : whole.shown(RESULT_KEPT_BYTES).text }],
  };
}

/** The same for data: short, it stays data; long, it is cut as its text. */
function cutData(name: string, data: Readonly<Record<string, unknown>>): Part {
  const text = JSON.stringify(data);
  return Buffer.byteLength(text) <= SHOWN_BYTES
    ? { shown: { [name]: data }, omitted: {}, kept: [] }
    : cut(name, text);
}

/** Servers repeat their data as text for clients that do not know data. */
function sameData(text: string, data: Readonly<Record<string, unknown>>): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data);
  } catch {
    return false;
  }
}
