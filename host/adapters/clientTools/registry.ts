/**
 * Who fulfils client tools now.
 *
 * Owns: the registrations of the clients that are there, in the order in which they came. Does not own: requests;
 * those are rows. Nothing here outlives the host: a client that comes back registers again.
 * C1 A tool's owner is its newest registration, that of the host's own window before one that joined; it is looked up
 * at each delivery.
 * C2 A tool whose last owner has gone is still offered for the grace, so that a reload of a window hides nothing.
 */
import {
  FORM_TOOL,
  RequestCode,
  type Answer,
  type ClientTool,
  type ClientToolRun,
  type ClientToolSpec,
  type ToolOrigin,
  type ToolSpec,
  say,
} from '../../../protocol';
import type { Clock } from '../../base/clock';
import { CordPulled } from '../../base/launch';
import type { Secrets } from '../../base/redact';
import { RequestError } from '../../engine/errors';
import type { ClientToolPort, Prepared, Unsound, Workplace } from '../../engine/ports';
import { builtIn } from './builtIn';
import { cleanAnswer } from './cleanAnswer';
import { declaredBy, prepareCall, type Declared, type Looks } from './declared';

/** Asks a client to fulfil a call. Rejects with its refusal, or when it is gone. */
export type AskClient = (request: ClientToolRun, signal: AbortSignal) => Promise<Answer>;

export interface ClientToolsOptions {
  /** What no answer of a client may hold when it is told and stored (X8). */
  readonly secrets: () => Secrets;
  readonly clock: Clock;
  readonly graceMs: () => number;
  /** Names that other tools of the host have. */
  readonly reserved: (name: string) => boolean;
  readonly looks: Looks;
}

export interface ClientTools extends ClientToolPort {
  /** All tools of a client from now on. Throws `invalid_params` when one can't be used; then nothing changes. */
  register(
    client: string,
    tools: readonly ClientToolSpec[],
    ask: AskClient,
    isGuest?: boolean,
  ): readonly string[];
  /** What is registered now, as it was given. */
  registered(): readonly { readonly client: string; readonly tools: readonly ClientToolSpec[] }[];
  /** The client has gone, or no longer has these tools. */
  unregister(client: string, tools: readonly string[] | undefined): void;
  list(): readonly ClientTool[];
  /** What a model is told of now. */
  specs(): readonly ToolSpec[];
  /** Whose tool has this name now; undefined when nobody's has. */
  originOf(tool: string): ToolOrigin | 'own' | undefined;
  /** Undefined for a tool that is none of these. */
  prepare(tool: string, args: string, place: Workplace): Promise<Prepared | Unsound> | undefined;
}

/** A call that a client has. */
interface UnderWay {
  readonly client: string;
  readonly tool: string;
  readonly gone: () => void;
}

interface Registration {
  readonly client: string;
  readonly ask: AskClient;
  readonly tools: ReadonlyMap<string, Declared>;
  readonly specs: readonly ClientToolSpec[];
}

export function createClientTools(options: ClientToolsOptions): ClientTools {
  const { clock } = options;
  const startedAt = clock.now();
  let registrations: readonly Registration[] = [];
  /** Tools that had an owner once, and when they lost it. */
  const gone = new Map<string, { readonly declared: Declared; readonly at: number }>();
  const listeners: (() => void)[] = [];
  const underWay = new Set<UnderWay>();

  const ownerOf = (tool: string) => registrations.findLast((one) => one.tools.has(tool));
  const serves = (client: string, tool: string) =>
    registrations.some((one) => one.client === client && one.tools.has(tool));
  const changed = () => {
    // What a client had when it went comes back, whether or not it still answers.
    for (const one of underWay) if (!serves(one.client, one.tool)) one.gone();
    for (const listener of listeners) listener();
  };

  const withdraw = (client: string, tools: ReadonlySet<string> | undefined) => {
    const before = registrations;
    registrations = before.flatMap((one) => {
      if (one.client !== client) return [one];
      const kept = new Map([...one.tools].filter(([name]) => tools !== undefined && !tools.has(name)));
      return kept.size === 0 ? [] : [{ ...one, tools: kept }];
    });
    for (const one of before)
      for (const [name, declared] of one.tools)
        if (ownerOf(name) === undefined) gone.set(name, { declared, at: clock.now() });
  };

  /** What is known of a tool: its newest declaration, also for a while after its owner has gone. */
  const find = (name: string): Declared | undefined => {
    const own = OWN.get(name);
    if (own !== undefined && !own.client.delivered) return own;
    const registered = ownerOf(name)?.tools.get(name);
    if (registered !== undefined) return registered;
    const lost = gone.get(name);
    return lost !== undefined && lost.at + options.graceMs() > clock.now() ? lost.declared : undefined;
  };

  const names = () => [
    ...new Set([...OWN.keys(), ...registrations.flatMap((one) => [...one.tools.keys()]), ...gone.keys()]),
  ];
  const offered = () => names().flatMap((name) => find(name) ?? []);

  return {
    ownerOf: (tool) => ownerOf(tool)?.client,
    goneSince: (tool) => gone.get(tool)?.at ?? startedAt,
    onChange: (listener) => void listeners.push(listener),
    specs: () => offered().map((declared) => declared.spec),
    originOf: (tool) => {
      const declared = find(tool);
      return declared === undefined ? undefined : (declared.origin ?? 'own');
    },
    list: () =>
      offered().map(({ spec, client }) => {
        const owner = ownerOf(spec.name)?.client;
        return { ...spec, person: client.person, ...(owner === undefined ? {} : { owner }) };
      }),
    prepare: (tool, args, place) => {
      const declared = find(tool);
      return declared === undefined ? undefined : prepareCall(declared, args, place, options.looks);
    },
    registered: () =>
      registrations.map(({ client, specs, tools }) => ({
        client,
        tools: specs.filter((spec) => tools.has(spec.name)),
      })),
    register(client, specs, ask, isGuest = false) {
      const name = isGuest ? client.replace(GUEST_NUMBER, '') : client;
      const tools = new Map(specs.map((spec) => [spec.name, declare(spec, options.reserved, name)]));
      withdraw(client, undefined);
      const fresh = tools.size === 0 ? [] : [{ client, ask, tools, specs }];
      registrations = isGuest ? [...fresh, ...registrations] : [...registrations, ...fresh];
      for (const name of tools.keys()) gone.delete(name);
      changed();
      return [...tools.keys()];
    },
    unregister(client, tools) {
      withdraw(client, tools === undefined ? undefined : new Set(tools));
      changed();
    },
    async run(owner, request, launch, signal) {
      const registration = registrations.find((one) => one.client === owner && one.tools.has(request.tool));
      if (registration === undefined) return { kind: 'gone' };
      // Called off, or its client is seen to go: it is told to stop, and what it says afterwards is dropped.
      const stop = new AbortController();
      const end = () => stop.abort();
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      const entry: UnderWay = { client: owner, tool: request.tool, gone: end };
      underWay.add(entry);
      try {
        const asked = launch(() => registration.ask({ client: owner, ...request }, stop.signal));
        const answered = asked.then(
          (answer) => ({ kind: 'answered', answer: cleanAnswer(answer, options.secrets()) }) as const,
        );
        return await Promise.race([answered, stopped(stop.signal)]);
      } catch (error) {
        if (error instanceof CordPulled) return { kind: 'paused' };
        switch (refusalOf(error)) {
          case 'host_paused':
            return { kind: 'paused' };
          case 'client_gone':
            withdraw(owner, isLost(error) ? undefined : new Set([request.tool]));
            return { kind: 'gone' };
          default:
            return { kind: 'answered', answer: cleanAnswer({ error: sentence(error) }, options.secrets()) };
        }
      } finally {
        signal.removeEventListener('abort', end);
        underWay.delete(entry);
      }
    },
  };
}

/** The number of a window that joined: its editor is the same one in every window. */
const GUEST_NUMBER = /#\d+$/;

const OWN: ReadonlyMap<string, Declared> = new Map(builtIn.map((declared) => [declared.spec.name, declared]));

/** A name of Belay's own keeps its declaration; others bring theirs. */
function declare(spec: ClientToolSpec, reserved: (name: string) => boolean, client: string): Declared {
  const own = OWN.get(spec.name);
  if (own !== undefined) return own;
  if (spec.name === FORM_TOOL || reserved(spec.name) || spec.name.includes('__'))
    throw new RequestError(
      'invalid_params',
      say('The name {name} belongs to another tool: choose another.', { name: spec.name }),
    );
  try {
    return declaredBy(spec, client);
  } catch (error) {
    throw new RequestError(
      'invalid_params',
      say('The tool {name} cannot be used: {why}.', { name: spec.name, why: sentence(error) }),
    );
  }
}

/** Resolves once nobody waits for an answer any more: a client that goes on is not waited for. */
function stopped(signal: AbortSignal): Promise<{ readonly kind: 'gone' }> {
  return new Promise((resolve) => {
    const stop = () => resolve({ kind: 'gone' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Numbers of a connection that is closed or disposed of (vscode-jsonrpc). */
const CONNECTION_LOST: readonly unknown[] = [-32097, -32099, 1, 2];

const isLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONNECTION_LOST.includes(error.code);

function refusalOf(error: unknown): RequestCode | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isLost(error)) return 'client_gone';
  const data: unknown = 'data' in error ? error.data : undefined;
  const code = RequestCode.safeParse(
    typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined,
  );
  return code.success ? code.data : undefined;
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
