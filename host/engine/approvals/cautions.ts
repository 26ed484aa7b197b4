/** Why a command asks, in sentences for the person. */
import { say } from '../../../protocol';
import type { Caution, CommandPart, Unreadable } from './reading';

/** Names the part and the reason: "`node a.js`: the interpreter `node` always asks." */
export const partWhy = (part: CommandPart, why: string): string =>
  say('`{part}`: {why}', { part: part.text, why });

export function cautionWhy({ kind, of }: { readonly kind: Caution; readonly of: string }): string {
  switch (kind) {
    case 'assignment':
      return say('setting a variable (`{of}`) always asks.', { of });
    case 'substitution':
      return say('what the shell computes for it (`{of}`) always asks.', { of });
    case 'expansion':
      return say('its name (`{of}`) is only known when it runs, so it asks.', { of });
    case 'redirection':
      return say('a redirection from or to a file (`{of}`) always asks.', { of });
    case 'heredoc':
      return say('a text given as input (`{of}`) always asks.', { of });
    case 'background':
      return say('leaving it in the background (`&`) always asks.');
    case 'construct':
      return say('a loop, branch, group or function (`{of}`) always asks.', { of });
    case 'moved':
      return say('it comes after a change of folder (`{of}`), so no rule of this folder covers it.', { of });
    case 'shell_state':
      return say('`{of}` changes what other commands mean, so it always asks.', { of });
    case 'wrapper':
      return say('`{of}` runs another command, so it always asks.', { of });
    case 'interpreter':
      return say('the interpreter `{of}` always asks.', { of });
    case 'hidden':
      return say('`{of}` runs what cannot be read here, so it always asks.', { of });
    case 'action':
      return say('with `{of}` it changes files or runs commands, so it always asks.', { of });
    case 'odd':
      return say('the form `{of}` always asks.', { of });
  }
}

export function unreadWhy(reason: Unreadable): string {
  switch (reason) {
    case 'shell':
      return say('It is not known in which shell it would run, so no rule can allow it.');
    case 'syntax':
      return say('It cannot be read as a command of its shell, so no rule can allow it.');
    case 'characters':
      return say(
        'It has characters that are not seen or not read alike everywhere, so no rule can allow it.',
      );
    case 'size':
      return say('It is too long or too deeply nested to be read, so no rule can allow it.');
    case 'empty':
      return say('It has no command in it, so no rule can allow it.');
    case 'unread':
      return say('It has not been read by this version of Belay, so no rule can allow it.');
  }
}
