/**
 * A line of a POSIX shell as its parts. What is not known to be harmless makes its part ask: forms are let through
 * by name, never kept out by name. Everything that may run is found, wherever it stands.
 */
import type { Word } from '../../engine/approvals/reading';
import { wordOf } from './bashWords';
import type { SyntaxNode } from './grammars';
import {
  oneLine,
  Unread,
  warn,
  within,
  type Around,
  type Cautioned,
  type Gathered,
  type PartList,
} from './partList';

/** Forms that join commands and add nothing of their own. */
const JOINING = new Set(['program', 'list', 'pipeline', 'negated_command']);
const JOINTS = new Set(['&&', '||', '|', '|&', ';']);

/** Forms that run commands in their own way. */
const CONSTRUCTS = new Set([
  'if_statement',
  'for_statement',
  'c_style_for_statement',
  'while_statement',
  'case_statement',
  'function_definition',
  'compound_statement',
  'subshell',
]);
const STATEMENTS = new Set([
  ...JOINING,
  ...CONSTRUCTS,
  'command',
  'redirected_statement',
  'declaration_command',
  'unset_command',
  'test_command',
]);

const ASSIGNMENT = /^variable_assignments?$/;

const WORDS = new Set([
  'command_name',
  'word',
  'number',
  'raw_string',
  'string',
  'ansi_c_string',
  'translated_string',
  'concatenation',
  'simple_expansion',
  'expansion',
  'brace_expression',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
]);

/** What stands in words, beside words. */
const PIECES = new Set(['string_content', 'variable_name', 'special_variable_name', 'comment']);
const COMPUTED = new Set(['command_substitution', 'process_substitution', 'arithmetic_expansion']);

/** Between two words; a line break only where it is taken away. */
const BLANK = /^(?:[ \t]|\\\n)*$/;
const BLANK_LINES = /^(?:[ \t\n]|\\\n)*$/;

export function readBash(root: SyntaxNode, text: string, list: PartList, around: Around): void {
  const reader = new BashReader(text, list);
  reader.between(root, BLANK_LINES, 0, text.length);
  reader.statement(root, around);
}

class BashReader {
  /** What joins the next part to the one before. */
  private joint = ';';

  constructor(
    private readonly text: string,
    private readonly list: PartList,
  ) {}

  statement(node: SyntaxNode, around: Around): void {
    if (node.type === 'command') this.command(node, around);
    else if (node.type === 'redirected_statement') this.redirected(node, around);
    else if (JOINING.has(node.type)) this.joined(node, around);
    else if (node.type !== 'comment') this.form(node, around);
  }

  /** Nothing may stand between the pieces of a form that the grammar has passed over. */
  between(node: SyntaxNode, blank: RegExp, start = node.startIndex, end = node.endIndex): void {
    let at = start;
    for (const child of node.children) {
      if (child === null || child.startIndex < at) continue;
      if (!blank.test(this.text.slice(at, child.startIndex))) throw new Unread('syntax');
      at = child.endIndex;
    }
    if (node.children.length > 0 && !blank.test(this.text.slice(at, end))) throw new Unread('syntax');
  }

  private joined(node: SyntaxNode, around: Around): void {
    if (node.type !== 'program') this.between(node, BLANK_LINES);
    let before: readonly Gathered[] = [];
    for (const child of node.children) {
      if (child === null) continue;
      if (child.isNamed) {
        const from = this.list.parts.length;
        this.statement(child, within(around));
        before = this.list.parts.slice(from);
        if (child.type !== 'comment') this.joint = ';';
      } else if (JOINTS.has(child.type)) this.joint = child.type;
      else if (child.type === '&') warn(before, { kind: 'background', of: '&' });
      else if (child.type !== '!') warn(before, { kind: 'odd', of: child.type });
    }
  }

  /** A form that asks as a whole, and all that stands in it. */
  private form(node: SyntaxNode, around: Around): void {
    const of = /^(?:\(|\S{1,12})/.exec(node.text)?.[0] ?? node.type;
    const caution: Cautioned = CONSTRUCTS.has(node.type)
      ? { kind: 'construct', of }
      : ASSIGNMENT.test(node.type)
        ? { kind: 'assignment', of: oneLine(node.text) }
        : node.type === 'declaration_command' || node.type === 'unset_command'
          ? { kind: 'shell_state', of }
          : { kind: 'odd', of };
    this.add([], node, { ...around, caution: around.caution ?? caution });
    this.search(node, { ...within(around), inside: true, caution });
  }

  private command(node: SyntaxNode, around: Around): void {
    this.between(node, BLANK);
    const words: Word[] = [];
    const cautions: Cautioned[] = [];
    let end = -1;
    for (const child of node.children) {
      if (child === null) continue;
      if (WORDS.has(child.type)) {
        if (child.startIndex === end) throw new Unread('syntax');
        end = child.endIndex;
        words.push(wordOf(child));
        cautions.push(...computed(child));
      } else if (child.type === 'variable_assignment')
        cautions.push({ kind: 'assignment', of: oneLine(child.text) });
      else cautions.push(...redirection(child));
    }
    const part = this.add(words, node, around);
    // What stands in the line weighs more than what is known of the program.
    warn([part], cautions[0]);
    this.search(node, { ...within(around), inside: true, caution: part.caution });
  }

  private redirected(node: SyntaxNode, around: Around): void {
    const from = this.list.parts.length;
    this.between(node, BLANK_LINES);
    for (const child of node.children) {
      if (child === null) continue;
      if (STATEMENTS.has(child.type) || ASSIGNMENT.test(child.type)) {
        this.statement(child, within(around));
        continue;
      }
      if (this.list.parts.length === from) this.add([], node, around);
      const [caution = { kind: 'redirection', of: oneLine(child.text) }] = redirection(child);
      if (!isHarmless(child)) warn(this.list.parts.slice(from), caution);
      this.search(child, { ...within(around), inside: true, caution });
    }
  }

  /** Whatever runs somewhere below. */
  private search(node: SyntaxNode, around: Around): void {
    for (const child of node.children) {
      if (child === null) continue;
      if (STATEMENTS.has(child.type)) this.statement(child, around);
      else this.search(child, within(around));
    }
  }

  private add(words: readonly Word[], node: SyntaxNode, around: Around): Gathered {
    return this.list.add(words, node.text, around.inside === true ? '' : this.joint, around);
  }
}

/** What the shell runs or computes to know a word. */
function computed(node: SyntaxNode): readonly Cautioned[] {
  const isBraced = node.type === 'expansion' && !/^\$\{\w+\}$/.test(node.text);
  if (COMPUTED.has(node.type) || isBraced) return [{ kind: 'substitution', of: oneLine(node.text) }];
  if (node.isNamed && !WORDS.has(node.type) && !PIECES.has(node.type))
    return [{ kind: 'odd', of: oneLine(node.text) }];
  return node.children.flatMap((child) => (child === null ? [] : computed(child)));
}

function redirection(node: SyntaxNode): readonly Cautioned[] {
  if (isHarmless(node)) return [];
  const of = oneLine(node.text);
  if (node.type === 'file_redirect') return [{ kind: 'redirection', of }];
  return [
    { kind: node.type === 'heredoc_redirect' || node.type === 'herestring_redirect' ? 'heredoc' : 'odd', of },
  ];
}

/** To nowhere, or to where the other output goes. `&>` is none of them: to some shells it means the background. */
function isHarmless(node: SyntaxNode): boolean {
  return (
    node.type === 'file_redirect' &&
    /^(?:[012]?(?:>>?|<)[ \t]*\/dev\/null|[12]?>&[ \t]*[12])$/.test(node.text)
  );
}
