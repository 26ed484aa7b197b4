/** A rule that a person is putting together, and the questions that are left for it. Pure. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ParamsOf, RuleDraft as Asked, SessionId } from '../../protocol';

export type RuleKind = 'command' | 'path' | 'tool';

export interface RuleDraft {
  readonly effect: Asked['effect'];
  /** Absent: it holds in the whole workspace. */
  readonly session?: SessionId | undefined;
  readonly kind: RuleKind;
  /** Absolute path of the folder in which a command runs, or from which the path of a file is written. */
  readonly folder: string;
  /** What was typed, so that nothing is lost on the way back. */
  readonly typed: Readonly<Record<RuleKind, string>>;
}

export type RuleStep = 'effect' | 'scope' | 'kind' | 'folder' | 'what' | 'confirm';

/** A session has a folder; of a workspace with several, the person chooses one. */
export function stepsOf({ kind, session }: RuleDraft, folders: readonly string[]): readonly RuleStep[] {
  const isOpen = kind !== 'tool' && session === undefined && folders.length > 1;
  return ['effect', 'scope', 'kind', ...(isOpen ? (['folder'] as const) : []), 'what', 'confirm'];
}

export function askedOf({ effect, session, kind, folder, typed }: RuleDraft): ParamsOf<'rule/preview'> {
  const text = typed[kind].trim();
  const match =
    kind === 'command'
      ? { kind, command: text, folder }
      : kind === 'path'
        ? { kind, path: resolve(folder, text) }
        : { kind, tool: text };
  return session === undefined
    ? { effect, scope: 'workspace', match }
    : { effect, scope: 'session', session, match };
}

/** The path of a file as it is written from this folder; nothing for one that is elsewhere. */
export function pathFrom(folder: string, file: string | undefined): string {
  const path = file === undefined ? '' : relative(folder, file);
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? '' : path;
}
