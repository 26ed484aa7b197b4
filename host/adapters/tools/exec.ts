/** `exec`: a script that calls tools, so that many small steps cost a model one call (S1). */
import { z } from 'zod';
import { SCRIPT_BYTES, SCRIPT_MOST_MS } from '../../../protocol';
import type { Launch } from '../../base/launch';
import type { Run, Steps, Workplace } from '../../engine/ports';
import { defineTool, type Tool } from './tool';

/** What runs scripts; `host/adapters/scripts` is the real one. */
export interface ScriptRunner {
  run(
    request: {
      readonly code: string;
      readonly timeoutMs: number | undefined;
      readonly stored: Readonly<Record<string, string>>;
    },
    launch: Launch,
    onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
    steps: Steps,
  ): Run;
}

/** What the scripts of a session have stored, as JSON by key. */
export type ReadStored = (session: Workplace['session']) => Readonly<Record<string, string>>;

const Args = z.strictObject({
  code: z
    .string()
    .refine((code) => code.trim() !== '', 'a script has code')
    .refine((code) => Buffer.byteLength(code) <= SCRIPT_BYTES, `at most ${SCRIPT_BYTES} bytes`),
  timeout_ms: z.number().int().min(1).max(SCRIPT_MOST_MS).optional(),
});

const DESCRIPTION = [
  'Run JavaScript that calls tools: the body of an async function, with await and return.',
  'tools.NAME(args) gives a tool’s whole result, and throws an error with .code when it fails; independent calls go side by side with Promise.all.',
  'ALL_TOOLS lists them. text(value) and console.log(value) go into the result, image(picture) too.',
  'store(key, value) and load(key) keep values for later scripts. Also notify(text), setTimeout, exit(). No files, network or modules.',
  'timeout_ms: running time, default 120000, at most 600000.',
].join(' ');

export function execTool(scripts: ScriptRunner, readStored: ReadStored): Tool {
  return defineTool({
    name: 'exec',
    description: DESCRIPTION,
    args: Args,
    prepare: (args) =>
      Promise.resolve({
        tool: 'exec',
        class: 'own',
        title: titleOf(args.code),
        args,
        preview: { kind: 'arguments' },
        subject: { kind: 'none' },
        liftable: true,
      }),
    run: (args, _prepared, place, launch, onOutput, steps) =>
      scripts.run(
        { code: args.code, timeoutMs: args.timeout_ms, stored: readStored(place.session) },
        launch,
        onOutput,
        steps,
      ),
  });
}

/** The first line that says something: a comment at the top is what its author calls it. */
function titleOf(code: string): string {
  const line = code
    .split('\n')
    .map((one) => one.replace(/^\s*(\/\/|\/\*+)\s*/, '').trim())
    .find((one) => one !== '' && one !== '*/');
  return (line ?? 'Script').slice(0, TITLE_CHARACTERS);
}

const TITLE_CHARACTERS = 120;
