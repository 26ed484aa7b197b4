/** What a prompt of the other editor holds. Pure. Nothing of it is left out unsaid (R10). */
import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk';

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export interface Prompt {
  readonly text: string;
  readonly images: { mediaType: (typeof PICTURES)[number]; data: string }[];
  readonly context: { kind: 'file'; path: string; text?: string }[];
}

/** Throws ACP's error for a block that Belay cannot take. */
export function promptOf(blocks: readonly ContentBlock[]): Prompt {
  const texts: string[] = [];
  const prompt: Prompt = { text: '', images: [], context: [] };
  const picture = (mimeType: string | null | undefined, data: string): void => {
    const mediaType = PICTURES.find((one) => one === mimeType);
    if (mediaType === undefined) throw refused(mimeType ?? 'binary data');
    prompt.images.push({ mediaType, data });
  };
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        texts.push(block.text);
        break;
      case 'image':
        picture(block.mimeType, block.data);
        break;
      case 'resource_link':
        prompt.context.push({ kind: 'file', path: pathOf(block.uri) });
        break;
      case 'resource':
        if ('text' in block.resource)
          prompt.context.push({ kind: 'file', path: pathOf(block.resource.uri), text: block.resource.text });
        else picture(block.resource.mimeType, block.resource.blob);
        break;
      default:
        throw refused(block.type);
    }
  }
  return { ...prompt, text: texts.join('\n') };
}

/** An answer has no place for what is attached: it stands behind the words. */
export const wordsOf = ({ text, context }: Prompt): string =>
  [
    text,
    ...context.map((one) => (one.text === undefined ? `[${one.path}]` : `[${one.path}]\n${one.text}`)),
  ].join('\n');

const refused = (what: string): RequestError =>
  RequestError.invalidParams(
    { unsupported: what },
    `Belay takes text, files and pictures (PNG, JPEG, GIF, WebP), not ${what}. Nothing was sent.`,
  );

const pathOf = (uri: string): string =>
  uri.startsWith('file://') ? decodeURIComponent(new URL(uri).pathname) : uri;
