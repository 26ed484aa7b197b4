/**
 * The tools that Belay brings itself, behind the engine's `ToolPort`.
 *
 * Owns nothing that lasts. 1. Every failure is a result with `error` and `detail`. 2. Nothing of a call
 * starts outside `launch`. 3. No result holds a value that Belay keeps secret. 4. A call runs only where it
 * was judged to run, or where less would have been asked.
 */
import { parseJson, whyUnread } from '../../base/json';
import type { Unsaved } from '../../base/unsaved';
import { redact, redactDeep, redactJson, type Secrets } from '../../base/redact';
import type { ToolOrigin, ToolSpec } from '../../../protocol';
import type { CallResult, Prepared, Run, ToolPort, Unsound, Workplace } from '../../engine/ports';
import { cleanDiff } from './diffPreview';
import { editTool } from './edit';
import { execTool, type ReadStored, type ScriptRunner } from './exec';
import { findTool } from './find';
import { listTool } from './list';
import { ownTools } from './own';
import { readTool } from './read';
import { isResultRead, readResultTool, type ReadKept } from './readResult';
import type { Programs } from './ripgrep';
import { searchTool } from './search';
import { shellTool, type Commands, type ReadCommand } from './shell';
import { terminalTool, type OpensTerminals } from './terminal';
import { failure, settled, unsound, type Tool } from './tool';
import { writeTool } from './write';

export interface ToolsOptions {
  readonly processes: Commands & Programs;
  readonly terminals: OpensTerminals;
  readonly readCommand: ReadCommand;
  /** Absolute path of ripgrep's binary. */
  readonly ripgrep: string;
  /** Files that a person has changed and not saved: read with a word on it, and never written. */
  readonly unsaved: Unsaved;
  /** Values that must not reach a result or a preview (X8). */
  readonly secrets: () => Secrets;
  readonly readKept: ReadKept;
  /** Tools that a client answers: they are prepared here, and never run. */
  readonly answered: {
    specs(): readonly ToolSpec[];
    originOf(tool: string): ToolOrigin | 'own' | undefined;
    prepare(tool: string, args: string, place: Workplace): Promise<Prepared | Unsound> | undefined;
  };
  readonly scripts: ScriptRunner;
  readonly readStored: ReadStored;
}

export function createTools(options: ToolsOptions): ToolPort {
  const { unsaved } = options;
  const reading = readTool(unsaved);
  const diff = cleanDiff((text) => redact(text, options.secrets()));
  const tools: readonly Tool[] = [
    reading,
    listTool,
    findTool(options.processes, options.ripgrep),
    searchTool(options.processes, options.ripgrep, unsaved),
    writeTool(diff, unsaved),
    editTool(diff, unsaved),
    shellTool(options.processes, options.readCommand),
    terminalTool(options.terminals, options.readCommand),
    execTool(options.scripts, options.readStored),
    ...ownTools((text) => options.readCommand(text, options.processes.shell)),
  ];
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]));
  const results = readResultTool(options.readKept);
  const toolFor = (name: string, args: unknown): Tool | undefined =>
    name === 'read' && isResultRead(args) ? results : byName.get(name);
  const specs = tools.map((tool) =>
    tool === reading ? { ...tool.spec, schema: withResult(tool.spec.schema) } : tool.spec,
  );
  return {
    specs: () => [...specs, ...options.answered.specs()],
    originOf: (tool) => (byName.has(tool) ? 'own' : options.answered.originOf(tool)),
    prepare: async (name, args, place) => {
      const parsed = parse(args);
      const tool = toolFor(name, parsed.ok ? parsed.value : undefined);
      if (tool === undefined)
        return (
          options.answered.prepare(name, args, place) ?? {
            error: 'tool_unknown',
            detail: `There is no tool ${name.slice(0, 64)}.`,
          }
        );
      return parsed.ok ? tool.prepare(parsed.value, place) : unsound(parsed.problem);
    },
    run: (prepared, place, launch, onOutput, steps) => {
      const tool = toolFor(prepared.tool, prepared.args);
      if (tool === undefined) return settled(failure(`There is no tool ${prepared.tool}.`));
      return cleaned(tool.run(prepared, place, launch, onOutput, steps), options.secrets);
    },
    sides: async (prepared, place) => {
      try {
        return await byName.get(prepared.tool)?.sides(prepared, place);
      } catch {
        return undefined;
      }
    },
  };
}

/** `read` takes a path, or the reference of a result. */
function withResult(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = typeof schema['properties'] === 'object' ? schema['properties'] : {};
  const { required: _path, ...rest } = schema;
  return {
    ...rest,
    properties: {
      ...properties,
      result: {
        type: 'string',
        description: 'instead of path: a reference given as "whole"; offset and limit are bytes',
      },
    },
  };
}

/** Arguments as the model wrote them; none at all stands for an empty object. */
function parse(args: string): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, value: args.trim() === '' ? {} : parseJson(args) };
  } catch (error) {
    return { ok: false, problem: whyUnread(error) };
  }
}

/** The same run, with no secret in its result. */
function cleaned(run: Run, secrets: () => Secrets): Run {
  const clean = (result: CallResult): CallResult => {
    const now = secrets();
    return {
      ...result,
      output: redactDeep(result.output, now),
      ...(result.kept === undefined
        ? {}
        : { kept: result.kept.map(({ name, text }) => ({ name, text: redact(text, now) })) }),
      ...(result.stores === undefined
        ? {}
        : {
            stores: result.stores.map(({ key, json }) => ({
              key: redact(key, now),
              json: json === undefined ? undefined : redactJson(json, now),
            })),
          }),
    };
  };
  return {
    done: run.done.then(clean),
    stop: (reason) => run.stop(reason),
    detach: () => run.detach(),
    ...(run.terminal === undefined ? {} : { terminal: run.terminal }),
    read: (offset, limit) => run.read(offset, limit),
  };
}
