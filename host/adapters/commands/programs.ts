/**
 * What the name of a program tells about a command: whether it runs other commands or code, and which. The lists name
 * what is common; a rule that a person gives by prefix can still reach a program that nobody thought of.
 */
import { programName, textOf } from '../../engine/approvals/commandRules';
import type { Caution, Word } from '../../engine/approvals/reading';

export interface Found {
  readonly caution?: { readonly kind: Caution; readonly of: string } | undefined;
  /** Other commands that it runs, word by word. */
  readonly commands?: readonly (readonly Word[])[];
  /** Code in the language of the line that it runs, where that can be read. */
  readonly code?: string | undefined;
}

/** Run what they are given as text, or a file of it. */
const SHELLS = /^((ba|z|da|a|k|mk|pdk|fi|c|tc|rba|xon)?sh|powershell|pwsh|cmd|wsl|nu|elvish|busybox|toybox)$/;

/** `sed` and `awk` are among them: their scripts can run commands and write files. So can those of editors. */
const INTERPRETERS = new RegExp(
  `^(${[
    'node(js)?[\\d.]*|deno|bun|tsx|ts-node|qjs|python[\\d.]*w?|ipython[\\d.]*|pypy[\\d.]*|jython|perl[\\d.]*|raku',
    'ruby[\\d.]*|irb|jruby|php[\\d.]*|lua(jit)?[\\d.]*|tclsh[\\d.]*|wish[\\d.]*|expect|osascript|r|rscript|julia',
    'groovy|jshell|kotlin|scala|ghci|runghc|runhaskell|elixir|erl|escript|guile|racket|sbcl|clisp|octave',
    '[gmn]?awk|g?sed|ed|ex|vim?|nvim|view|emacs|gdb|lldb|wscript|cscript|mshta|rundll32|java|dotnet-script',
  ].join('|')})$`,
);

interface Wrapper {
  /** Options that take a value, each by itself: the next word, or what stands behind it in its own. */
  readonly valued?: RegExp;
  /** Of these, those whose value is code. */
  readonly code?: RegExp;
  /** Words of its own before the command. */
  readonly own?: number;
  /** `NAME=value` may stand before the command. */
  readonly sets?: true;
  /** Its words are joined to a line that a shell reads. */
  readonly joins?: true;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { valued: /^(-[uCS]|--(unset|chdir|split-string))$/, code: /^(-S|--split-string)$/, sets: true },
  sudo: {
    valued: /^(-[ughpCTrtRDUac]|--(user|group|host|prompt|chdir|chroot|role|type|other-user|close-from))$/,
    sets: true,
  },
  doas: { valued: /^-[uCa]$/ },
  pkexec: { valued: /^--user$/ },
  runuser: { valued: /^(-[cugGsw]|--(command|user|group|supp-group|shell))$/, code: /^(-c|--command)$/ },
  'systemd-run': { valued: /^(-[puMEH]|--(unit|property|description|slice|uid|gid|setenv))$/ },
  nohup: {},
  setsid: {},
  time: { valued: /^(-[fo]|--format|--output)$/ },
  timeout: { valued: /^(-[ks]|--kill-after|--signal)$/, own: 1 },
  nice: { valued: /^(-n|--adjustment)$/ },
  ionice: { valued: /^(-[cn]|--class|--classdata)$/ },
  chrt: { own: 1 },
  taskset: { own: 1 },
  stdbuf: { valued: /^(-[ioe]|--input|--output|--error)$/ },
  xargs: {
    valued: /^(-[aEIJLnPRsd]|--(arg-file|delimiter|max-lines|max-args|max-procs|replace|max-chars))$/,
  },
  parallel: { valued: /^(-[jaNIS]|--(jobs|arg-file|sshlogin))$/ },
  watch: { valued: /^(-n|--interval)$/, joins: true },
  ssh: { valued: /^-[bBcDEeFIiJLlmOopQRSWw]$/, own: 1, joins: true },
  exec: { valued: /^-a$/ },
  command: {},
  builtin: {},
  coproc: {},
  noglob: {},
  nocorrect: {},
  chroot: { own: 1 },
  unshare: {},
  nsenter: { valued: /^-t$/ },
  flock: {
    valued: /^(-[cwE]|--(command|timeout|wait|conflict-exit-code))$/,
    code: /^(-c|--command)$/,
    own: 1,
  },
  strace: { valued: /^-[aebEoOpPsSuX]$/ },
  ltrace: { valued: /^-[aeonpsu]$/ },
  script: {
    valued: /^(-[cIOBTmEo]|--(command|log-in|log-out|log-io|log-timing|logging-format|echo|output-limit))$/,
    code: /^(-c|--command)$/,
  },
  su: {
    valued: /^(-[cgGsw]|--(command|group|supp-group|shell|whitelist-environment))$/,
    code: /^(-c|--command)$/,
  },
  eval: { joins: true },
  iex: { joins: true },
  'invoke-expression': { joins: true },
  caffeinate: { valued: /^-[tw]$/ },
  entr: {},
};

/** They change what later words of the line mean, or leave something that runs later. */
const SHELL_STATE = new Set(
  `alias unalias export declare typeset local readonly set shopt setopt unset unsetenv setenv trap hash enable disable
   read mapfile readarray getopts let bind complete compgen fc history source . pushd popd return break continue at
   batch crontab autoload zmodload emulate zcompile functions`.split(/\s+/),
);

/** Words of the language that the grammar may take for a command in another shell than its own. */
const RESERVED = new Set(
  'if then else elif fi for while until do done case esac select function { } [[ ]] ( ) ! repeat foreach end'.split(
    ' ',
  ),
);

/** By what a search does more than to tell what it has found. */
const ACTIONS: Readonly<Record<string, RegExp>> = {
  find: /^-(exec(dir)?|ok(dir)?|delete|fprint0?|fprintf|fls)$/,
  fd: /^(-x|-X|--exec(-batch)?)$/,
  fdfind: /^(-x|-X|--exec(-batch)?)$/,
};

/** `words` are those of one simple command. */
export function lookAt(words: readonly Word[]): Found {
  const [first] = words;
  if (first === undefined) return {};
  const name = programName(textOf(first));
  const found = lookAtProgram(name, words);
  if (typeof first === 'string') return found;
  return { ...found, caution: { kind: 'expansion', of: first.raw } };
}

function lookAtProgram(name: string, words: readonly Word[]): Found {
  if (RESERVED.has(name)) return { caution: { kind: 'odd', of: name } };
  if (SHELLS.test(name)) return shell(name, words);
  if (INTERPRETERS.test(name)) return { caution: { kind: 'interpreter', of: name } };
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action !== undefined) return search(words, action);
  if (SHELL_STATE.has(name)) return { ...handed(name, words), caution: { kind: 'shell_state', of: name } };
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper === undefined ? {} : wrapped(name, wrapper, words);
}

/** `sh -c CODE`, with its options in one word or several; `powershell -Command CODE`; `cmd /c COMMAND`. */
function shell(name: string, words: readonly Word[]): Found {
  const caution = { kind: 'interpreter', of: name } as const;
  if (/^(busy|toy)box$/.test(name)) return { caution, commands: [words.slice(1)] };
  const at = words.findIndex((word, index) => index > 0 && CODE.test(textOf(word)));
  if (at === -1) return { caution };
  const rest = words.slice(at + 1);
  if (name === 'cmd') return { caution, commands: [rest] };
  const code = rest.find((word) => !/^[-+]/.test(textOf(word)));
  if (typeof code === 'string') return { caution, code };
  return { caution: { kind: 'hidden', of: name }, code: code?.value };
}

const CODE = /^(-[a-z]*c|-command|\/[ck])$/i;

/** `trap CODE SIGNAL` runs its first word later. */
function handed(name: string, words: readonly Word[]): Found {
  const [, code] = words;
  return name === 'trap' && typeof code === 'string' ? { code } : {};
}

function wrapped(name: string, wrapper: Wrapper, words: readonly Word[]): Found {
  const caution = { kind: 'wrapper', of: name } as const;
  const code = codeOption(words.slice(1), wrapper);
  const own = behindOptions(words.slice(1), wrapper).slice(wrapper.own ?? 0);
  const rest = code === undefined ? own : behindOptions(own, wrapper);
  if (wrapper.joins === true && rest.length > 0) {
    const isRead = rest.every((word) => typeof word === 'string');
    return {
      caution: isRead ? caution : { kind: 'hidden', of: name },
      code: rest.map(textOf).join(' '),
    };
  }
  return { caution, commands: rest.length === 0 ? [] : [rest], code };
}

/** The code that an option brings, wherever it stands: `su - root -lc CODE`. */
function codeOption(words: readonly Word[], wrapper: Wrapper): string | undefined {
  for (const [at, word] of words.entries()) {
    const option = valuedIn(textOf(word), wrapper);
    if (option === undefined || wrapper.code?.test(option.name) !== true) continue;
    const next = words[at + 1];
    if (option.value !== undefined) return option.value;
    if (next !== undefined) return textOf(next);
  }
  return undefined;
}

/**
 * The option of a word that takes a value, and the value where it is in the word itself: `-u`, `-u5`, `--user=x`, and
 * letters in one word, of which the first that takes a value has what is behind it (`-nu`, `-nuroot`).
 */
function valuedIn(
  text: string,
  { valued }: Wrapper,
): { readonly name: string; readonly value: string | undefined } | undefined {
  if (valued === undefined) return undefined;
  if (text.startsWith('--')) {
    const [name = '', ...value] = text.split('=');
    if (!valued.test(name)) return undefined;
    return { name, value: value.length === 0 ? undefined : value.join('=') };
  }
  if (!text.startsWith('-')) return undefined;
  const letters = text.split('');
  const at = letters.findIndex((letter, place) => place > 0 && valued.test(`-${letter}`));
  if (at === -1) return undefined;
  const value = text.slice(at + 1);
  return { name: `-${text.charAt(at)}`, value: value === '' ? undefined : value };
}

function behindOptions(words: readonly Word[], wrapper: Wrapper): readonly Word[] {
  let at = 0;
  while (at < words.length) {
    const text = textOf(words[at] ?? '');
    if (text === '--') return words.slice(at + 1);
    const option = valuedIn(text, wrapper);
    if (text.length > 1 && /^[-+]/.test(text))
      at += option !== undefined && option.value === undefined ? 2 : 1;
    else if (wrapper.sets === true && /^\w+=/.test(text)) at += 1;
    else break;
  }
  return words.slice(at);
}

/** Actions that end with a command, which goes on to `;` or `+`. */
const RUNS = /^-(exec(dir)?|ok(dir)?|x|X|-exec(-batch)?)$/;

function search(words: readonly Word[], action: RegExp): Found {
  const first = words.find((word) => action.test(textOf(word)));
  if (first === undefined) return {};
  const commands = words.flatMap((word, at) => {
    if (!action.test(textOf(word)) || !RUNS.test(textOf(word))) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((one) => textOf(one) === ';' || textOf(one) === '+');
    return [rest.slice(0, end === -1 ? undefined : end)];
  });
  return { caution: { kind: 'action', of: textOf(first) }, commands };
}
