/** How codex app-server is started: one for each session, so that ending one ends no other. */
import { z } from 'zod';
import type { HandedMessage, HarnessOpen } from '../../../engine/harnessPort';
import { codexEnv, codexProgram } from '../codexProgram';
import type { AgentRequest, Surroundings } from '../outside';

export function serverRequest(
  options: Pick<HarnessOpen, 'folder'>,
  around: Surroundings,
): AgentRequest | undefined {
  const file = codexProgram(around);
  if (file === undefined) return undefined;
  return { file, args: ['app-server'], folder: options.folder, env: codexEnv(around), input: true };
}

export const INITIALIZE = {
  clientInfo: { name: 'belay', title: 'Belay', version: '1' },
  capabilities: { experimentalApi: true, requestAttestation: false },
};

/** A message as codex takes it. */
export const inputOf = (text: string, images: HandedMessage['images']): readonly object[] => [
  ...images.map((image) => ({ type: 'image', url: `data:${image.mediaType};base64,${image.data}` })),
  { type: 'text', text, text_elements: [] },
];

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
});

/** A piece of a tool's result as codex takes it. */
export function toolItem(part: object): object {
  const { type, text, data, mimeType } = Part.parse(part);
  return type === 'image'
    ? { type: 'inputImage', imageUrl: `data:${mimeType ?? 'image/png'};base64,${data ?? ''}` }
    : { type: 'inputText', text: text ?? '' };
}
