import { HTTP_SETTINGS, SETTINGS, type HttpSettingKey, type SettingKey } from './ids';

/** The part of VS Code's `inspect` that is read. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export interface UserSettings {
  /** The settings object of the protocol, with what the person has set and nothing else. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Keys that the workspace sets. They are not read (A12). */
  readonly ignored: readonly SettingKey[];
}

/**
 * Reads the settings of the person. What decides over the agent must be out of its reach, and the agent can write
 * into the workspace: so no value of a workspace is ever read (A12).
 */
export function readUserSettings(inspect: (key: SettingKey) => Inspected | undefined): UserSettings {
  const settings: Record<string, unknown> = {};
  const ignored: SettingKey[] = [];
  for (const key of SETTINGS) {
    const found = inspect(key);
    if (found === undefined) continue;
    if (found.workspaceValue !== undefined || found.workspaceFolderValue !== undefined) ignored.push(key);
    if (found.globalValue !== undefined) put(settings, key.split('.'), found.globalValue);
  }
  return { settings, ignored };
}

/** What the person has set of the editor's own `http.…`, as the protocol has it. A workspace has no say in it (A12). */
export function readHttpSettings(
  inspect: (key: HttpSettingKey) => Inspected | undefined,
): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = {};
  for (const key of HTTP_SETTINGS) {
    const value = inspect(key)?.globalValue;
    if (value !== undefined) put(settings, key.split('.'), value);
  }
  return settings;
}

/**
 * Keys of Belay that a workspace's settings file names. VS Code hides such values from extensions because the
 * settings are declared for the user only, so the text itself is looked at, to tell the person.
 */
export function keysInWorkspaceFile(text: string): readonly SettingKey[] {
  return SETTINGS.filter((key) => text.includes(`"belay.${key}"`));
}

/** The settings that warnings of the host name, each once, in their order. */
export const namesIn = (warnings: readonly string[]): readonly string[] => [
  ...new Set(warnings.flatMap((text) => /"((?:belay|http)\.[^"]+)"/.exec(text)?.[1] ?? [])),
];

/** A search of the settings editor that shows exactly the settings that these warnings of the host name. */
export function settingsQuery(warnings: readonly string[]): string {
  const known = [...SETTINGS.map((key) => `belay.${key}`), ...HTTP_SETTINGS];
  const named = known.filter((key) =>
    warnings.some((text) => text.includes(`"${key}"`) || text.includes(`"${key}.`)),
  );
  return named.length === 0 ? 'belay' : `@id:${named.join(',')}`;
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  const inner: Record<string, unknown> = {};
  const old = into[head];
  if (typeof old === 'object' && old !== null) Object.assign(inner, old);
  put(inner, rest, value);
  into[head] = inner;
}
