/** How codex app-server is started and ended, and what is read of its replies: one for each session, so that ending one ends no other. */
import { z } from 'zod';
import type { HandedMessage, HarnessOpen, LadderStep } from '../../../engine/harnessPort';
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

export const LADDER: readonly LadderStep[] = [
  { kind: 'protocol', name: 'turn/interrupt' },
  { kind: 'protocol', name: 'backgroundTerminals/terminate' },
  { kind: 'end_of_input' },
  { kind: 'signal', signal: 'SIGTERM' },
  { kind: 'signal', signal: 'SIGKILL' },
];

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

export const ThreadStarted = z.looseObject({ thread: z.looseObject({ id: z.string() }) });
export const TurnStarted = z.looseObject({ turn: z.looseObject({ id: z.string() }) });
export const Terminals = z.looseObject({
  data: z.array(z.looseObject({ processId: z.string(), itemId: z.string().optional() })),
});
export const ToolCall = z.looseObject({
  callId: z.string(),
  tool: z.string(),
  arguments: z.unknown().optional(),
});
export const Resolved = z.looseObject({ requestId: z.union([z.number(), z.string()]) });
