/** The words in which a rule is shown, the same on the button and in the list. Pure. */
import { say, type Rule, type RuleMatch } from '../../../protocol';
import { unmarked } from '../../../protocol/worded';
import { openEnded } from './commandRules';
import type { FilesMatch } from './files';
import { mayRunFiles } from './further';
import { toolLabel } from './origin';
import type { CommandPart } from './reading';

/** `parts` are those of its own command. */
export function labelOf(
  { effect, scope, match }: Pick<Rule, 'effect' | 'scope' | 'match'>,
  parts: readonly CommandPart[] = [],
): string {
  const label = labelOfMatch(match, effect, parts);
  return scope === 'user' ? say('in all workspaces: {rule}', { rule: label }) : label;
}

function labelOfMatch(match: RuleMatch, effect: Rule['effect'], parts: readonly CommandPart[]): string {
  switch (match.kind) {
    case 'command':
      return commandLabel(match, parts);
    case 'path':
    case 'folder':
    case 'pattern':
      return filesLabel(match, effect);
    case 'tool':
      return toolLabel(match);
    case 'server':
      return say(
        'every call of every tool of the server {server}, also of later ones, while it is configured as now',
        { server: match.server.name },
      );
  }
}

function filesLabel(match: FilesMatch, effect: Rule['effect']): string {
  const reads = match.access === 'read';
  if (match.kind === 'pattern') {
    const pattern = unmarked(match.pattern);
    return reads
      ? say('reads of what is named {pattern}', { pattern })
      : say('edits of what is named {pattern}', { pattern });
  }
  const path = unmarked(match.path);
  if (match.kind === 'path')
    return reads ? say('reads of {path}', { path }) : say('edits of {path}', { path });
  if (reads) return say('reads of all that is under {path}', { path });
  return effect === 'allow'
    ? say('edits of all files under {path} that are not protected', { path })
    : say('edits of all files under {path}', { path });
}

function commandLabel(
  { command, folder: place, further }: Extract<RuleMatch, { kind: 'command' }>,
  parts: readonly CommandPart[],
): string {
  const begin = command.trim().replace(/\s*\*$/, '');
  const isOpen = openEnded(parts) !== undefined;
  if (place === undefined) {
    if (isOpen) return say('`{command}` with any further words', { command: begin });
    return parts.length > 1
      ? say('each of the commands in `{command}` exactly', { command })
      : say('`{command}` exactly', { command });
  }
  const folder = unmarked(place);
  if (further === true && mayRunFiles(parts))
    return say(
      '`{command}` with further names, paths that stay inside (it may run the files named), and options that only choose or show, in {folder}',
      { command, folder },
    );
  if (further === true)
    return say(
      '`{command}` with further names, paths that stay inside, and options that only choose or show, in {folder}',
      { command, folder },
    );
  if (isOpen) return say('`{command}` with any further words, in {folder}', { command: begin, folder });
  return parts.length > 1
    ? say('each of the commands in `{command}` exactly, in {folder}', { command, folder })
    : say('`{command}` exactly, in {folder}', { command, folder });
}
