import { z } from 'zod';
import { HarnessSettings } from './harness';
import { SERVER_INPUTS_MOST } from './limits';
import { Mode } from './session';

/** US dollars for a million tokens. */
const ModelPrice = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  /** Of input that was read from the provider's cache; as `input` without it. */
  cached: z.number().nonnegative().optional(),
  /** Of input that was written to it; as `input` without it. */
  written: z.number().nonnegative().optional(),
});

const ModelSetting = z.object({
  id: z.string().min(1).max(256),
  contextWindow: z.number().int().positive().optional(),
  maxOutput: z.number().int().positive().optional(),
  price: ModelPrice.optional(),
});

/** Headers that belong to the connection, not to whom it leads to. */
const OWN_HEADERS =
  'host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|keep-alive|proxy-.*';
const HeaderName = z
  .string()
  .regex(new RegExp(`^(?!(?:${OWN_HEADERS})$)[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,128}$`, 'i'));
/** One line, in which `${env:NAME}` and `${key}` are replaced. */
const ExtraValue = z
  .string()
  .max(8_192)
  .regex(/^(?:[^$\p{Cc}]|\t|\$(?!\{)|\$\{(?:env:[A-Za-z_][A-Za-z0-9_]*|key)\})*$/u);

export const Provider = z.object({
  kind: z.enum(['anthropic', 'openai', 'openai-compatible']),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional(),
  models: z.array(ModelSetting).max(256).optional(),
  /** Sent with each request, before those of its kind. */
  headers: z.record(HeaderName, ExtraValue).optional(),
  /** Put behind the address of each request. */
  query: z.record(z.string().min(1).max(128), ExtraValue).optional(),
});
export type Provider = z.infer<typeof Provider>;

/** VS Code's own settings of these names. They are the person's: a proxy sees and may change what passes through it (A12). */
const Http = z.strictObject({
  proxy: z.string().max(2_048).optional(),
  noProxy: z.array(z.string().max(256)).max(1_024).optional(),
  /** False takes any certificate, of a proxy and behind it. */
  proxyStrictSSL: z.boolean().optional(),
  /** The whole value of the header `proxy-authorization`. */
  proxyAuthorization: z.string().max(8_192).nullable().optional(),
  /** `off` knows no proxy. */
  proxySupport: z.enum(['off', 'on', 'fallback', 'override']).optional(),
  systemCertificates: z.boolean().optional(),
});

/** The settings under `belay.`, one to one, and `http`, the editor's own. Unknown keys are refused so that a slip is told, not ignored. */
export const Settings = z.strictObject({
  models: z
    .strictObject({
      providers: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i), Provider).optional(),
      default: z.string().max(256).optional(),
    })
    .optional(),
  mcp: z
    .strictObject({
      servers: z.record(z.string(), z.unknown()).optional(),
      /** What `${input:ID}` in them asks for. */
      inputs: z.array(z.unknown()).max(SERVER_INPUTS_MOST).optional(),
    })
    .optional(),
  harnesses: HarnessSettings.optional(),
  http: Http.optional(),
  approvals: z
    .strictObject({
      mode: Mode.optional(),
      /** How long a verdict is awaited live before the turn is parked, ms. */
      holdMs: z.number().int().min(0).max(600_000).optional(),
      /** A request that nobody answered ends after this long, ms. None by default. */
      lapseMs: z.number().int().min(1).nullable().optional(),
      notify: z.boolean().optional(),
    })
    .optional(),
  /** Whether a file that commonly holds secrets is asked for before it is read, and left out of searches. */
  protectedReads: z.boolean().optional(),
  /** What a client announces; the host does nothing with it. */
  notifications: z.strictObject({ ends: z.boolean().optional() }).optional(),
  handles: z.strictObject({ wakeIdleSession: z.boolean().optional() }).optional(),
  /** Whether a model is told the AGENTS.md, or else the CLAUDE.md, at the root of its folder. */
  projectInstructions: z.boolean().optional(),
  terminals: z
    .strictObject({
      /** Terminals run the person's own shell with its start-up files, not a bare one. */
      ownShell: z.boolean().optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      roundsPerTurn: z.number().int().min(1).max(10_000).optional(),
      /** Tokens, read and written, after which a turn ends at the next boundary. None by default. */
      tokensPerTurn: z.number().int().min(1).nullable().optional(),
      /** The same by the cost of a model whose price is known. */
      costUsdPerTurn: z.number().min(0.000_001).nullable().optional(),
      modelAttempts: z.number().int().min(1).max(64).optional(),
      stallMs: z.number().int().min(100).max(3_600_000).optional(),
      backoffMs: z.number().int().min(1).max(30_000).optional(),
      steerGraceMs: z.number().int().min(0).max(10_000).optional(),
      clientGraceMs: z.number().int().min(0).max(600_000).optional(),
      mcpCallMs: z.number().int().min(1).max(86_400_000).optional(),
      mcpCallMostMs: z.number().int().min(1).max(86_400_000).optional(),
      serverStartMs: z.number().int().min(1).max(600_000).optional(),
      serverBackoffMs: z.number().int().min(1).max(600_000).optional(),
      signInMs: z.number().int().min(1).max(3_600_000).optional(),
      shellMs: z.number().int().min(1).max(600_000).optional(),
    })
    .optional(),
});
export type Settings = z.infer<typeof Settings>;
