import { z } from 'zod';
import { Folder } from './bounded';
import { At, TurnId } from './ids';
import { listing } from './listing';
import { Session } from './session';
import { Message } from './message';
import { Approval } from './approval';
import { Question } from './question';
import { Handle } from './handle';
import { Server } from './server';
import { UNSAVED_FILES_MOST } from './limits';

export const PROTOCOL_VERSION = 1;

/** Files with changes that an editor has not saved, absolute paths. */
const UnsavedPaths = z.array(z.string().min(1).max(4096)).max(UNSAVED_FILES_MOST);

/** `read` and `search` tell the model of them, and nothing of Belay's writes them until they are saved or reverted. */
export const EditorUnsaved = z.object({ paths: UnsavedPaths });

export const Initialize = z.object({
  protocolVersion: z.number().int(),
  client: z.object({ name: z.string().min(1).max(128), version: z.string().max(64) }),
  /** Absolute path of the folder of this workspace's store; made when it is missing. */
  storeDir: Folder,
  folders: z.array(z.object({ path: Folder, name: z.string().max(256) })).max(256),
  settings: z.unknown(),
  trusted: z.boolean(),
  /** Absolute path of the folder with the rules of the scope `user`; without it there are none. Made when it is needed. */
  rulesDir: Folder.optional(),
  /** As `editor/unsaved` tells it from then on; none by default. */
  unsaved: UnsavedPaths.optional(),
});

export type Initialize = z.infer<typeof Initialize>;

export const Initialized = z.object({
  protocolVersion: z.number().int(),
  hostVersion: z.string(),
  /** Number of the newest stored event. */
  seq: z.number().int().nonnegative(),
  paused: z.boolean(),
  readOnly: z.boolean(),
  /** What the person should know of the store, as sentences: damage found, commits lost, a read-only start. */
  warnings: z.array(z.string()),
});

/** Something that waits for the person. */
export const Need = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('approval'), approval: Approval }),
  z.object({ kind: z.literal('question'), question: Question }),
]);
export type Need = z.infer<typeof Need>;

export const HostState = z.object({
  paused: z.boolean(),
  epoch: z.number().int().nonnegative(),
  /** What the pull ended or is still stopping; kept until release. */
  ended: z.array(z.object({ kind: z.string(), id: z.string(), title: z.string() })),
  quiet: z.boolean(),
  pausedAt: At.optional(),
  pausedBy: z.string().optional(),
  readOnly: z.boolean(),
  trusted: z.boolean(),
  trouble: z.string().optional(),
  /** Files that a person has changed in any window and not saved, absolute; absent when there are none. */
  unsaved: z.array(z.string()).optional(),
});
export type HostState = z.infer<typeof HostState>;

/** Everything that the lists show, as of event `seq`. */
export const Snapshot = z.object({
  seq: z.number().int().nonnegative(),
  host: HostState,
  sessions: z.array(Session),
  /** Over all sessions, oldest first. */
  needs: z.array(Need),
  /** Those that have not ended, and the newest 100 that have; in the order of their numbers. */
  handles: z.array(Handle),
  /** Messages that no turn has read yet, in the order in which they will be read. */
  unread: z.array(Message),
  /** MCP servers that are configured, in the order of their configuration. */
  servers: z.array(Server),
});
export type Snapshot = z.infer<typeof Snapshot>;

export const Ended = z.object({
  kind: z.string(),
  id: z.string(),
  title: z.string(),
  /** The turn in which a release starts it; it stands behind that turn. */
  turn: TurnId.optional(),
  /** Who has allowed what a release starts. */
  by: z.string().optional(),
});
export type Ended = z.infer<typeof Ended>;

/** Another window of this user on this machine, as its own host tells of it. */
/**
 * The name by which `secret/get` is asked for the secret of this user's windows: 32 to 128 random hexadecimal digits,
 * the same in every window, which the client makes when there is none. Without it windows do not meet.
 */
export const WINDOW_KEY = 'window/key';

export const OtherWindow = z.object({
  /** The folders that it works in. */
  name: z.string(),
  /** False when it has not answered in time; it hears of a pause or resume all the same, once it can. */
  answered: z.boolean(),
  paused: z.boolean(),
  ended: z.array(Ended),
  stopping: z.array(Ended),
  starting: z.array(Ended),
});
export type OtherWindow = z.infer<typeof OtherWindow>;

export const SettingsUpdate = z.object({
  settings: z.unknown().optional(),
  trusted: z.boolean().optional(),
  folders: z
    .array(z.object({ path: Folder, name: z.string().max(256) }))
    .max(256)
    .optional(),
});

/** A model as the picker shows it. */
export const ModelInfo = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  contextWindow: z.number().int().optional(),
  /** False while its provider's key is missing. */
  ready: z.boolean(),
  note: z.string().optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** A provider of the settings, and why its models are not known, or not all of them. */
export const ProviderInfo = z.object({ name: z.string(), note: z.string().optional() });
export type ProviderInfo = z.infer<typeof ProviderInfo>;

/**
 * The models that can be chosen: those of the settings, those that are known of a provider, and those that it listed
 * when it was asked last: with `look`, within 5 s, not while paused or in an untrusted workspace. A list holds for 5
 * minutes, and stays when the provider cannot be asked anew.
 */
export const ModelList = listing(ModelInfo).extend({ providers: z.array(ProviderInfo) });
export type ModelList = z.infer<typeof ModelList>;
