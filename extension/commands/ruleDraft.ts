/** A rule that a person is putting together, and the questions that are left for it. Pure. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ParamsOf, RuleDraft as Asked, RuleMatch, SessionId } from '../../protocol';

/** `path`: edits of files. `read`: what reads, lists and searches them. */
export type RuleKind = 'command' | 'path' | 'read' | 'tool';

export interface RuleDraft {
  readonly effect: Asked['effect'];
  /** It holds in all workspaces of the person. */
  readonly everywhere?: boolean | undefined;
  /** It holds in this session alone; without one, and not everywhere, in the whole workspace. */
  readonly session?: SessionId | undefined;
  readonly kind: RuleKind;
  /** Absolute path of the folder in which a command runs, or from which the path of a file is written. */
  readonly folder: string;
  /** What was typed, so that nothing is lost on the way back. */
  readonly typed: Readonly<Record<RuleKind, string>>;
}

export type RuleStep = 'effect' | 'scope' | 'kind' | 'folder' | 'what' | 'confirm';

/** A session has a folder; of a workspace with several, the person chooses one. */
export function stepsOf(
  { kind, session, everywhere }: RuleDraft,
  folders: readonly string[],
): readonly RuleStep[] {
  const isOpen = kind !== 'tool' && session === undefined && everywhere !== true && folders.length > 1;
  return ['effect', 'scope', 'kind', ...(isOpen ? (['folder'] as const) : []), 'what', 'confirm'];
}

export function askedOf(draft: RuleDraft): ParamsOf<'rule/preview'> {
  const { effect, session, everywhere } = draft;
  const match = matchOf(draft);
  if (everywhere === true) return { effect, scope: 'user', match };
  return session === undefined
    ? { effect, scope: 'workspace', match }
    : { effect, scope: 'session', session, match };
}

function matchOf({ kind, folder, typed, everywhere }: RuleDraft): RuleMatch {
  const text = typed[kind].trim();
  switch (kind) {
    case 'command':
      return everywhere === true ? { kind, command: text } : { kind, command: text, folder };
    case 'tool':
      return { kind, tool: text };
    case 'path':
      return filesOf(text, folder, everywhere);
    case 'read':
      return { ...filesOf(text, folder, everywhere), access: 'read' };
  }
}

/**
 * `*` and `?` make a pattern of names, a sign at the end a folder. In all workspaces there is no folder to begin at, so
 * what is written there without one is names as well.
 */
function filesOf(text: string, folder: string, everywhere = false): Exclude<RuleMatch, Unfiled> {
  if (/[*?]/.test(text) || (everywhere && !isAbsolute(text))) return { kind: 'pattern', pattern: text };
  return { kind: /[/\\]$/.test(text) ? 'folder' : 'path', path: resolve(folder, text) };
}

type Unfiled = Extract<RuleMatch, { kind: 'command' | 'tool' | 'server' }>;

/** The path of a file as it is written from this folder; nothing for one that is elsewhere. */
export function pathFrom(folder: string, file: string | undefined): string {
  const path = file === undefined ? '' : relative(folder, file);
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? '' : path;
}
