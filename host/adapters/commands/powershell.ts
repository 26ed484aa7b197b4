/**
 * A line of PowerShell as its parts. Its grammar is read less closely than a POSIX shell's: only plain words, quoted
 * texts and parameters are let through, and anything else makes its part ask.
 */
import type { Word } from '../../engine/approvals/reading';
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

const JOINING = new Set([
  'program',
  'statement_list',
  'pipeline',
  'pipeline_chain',
  'pipeline_chain_tail',
  'empty_statement',
]);
const JOINTS = new Set(['&&', '||', '|', ';']);
/** Hold one expression each, and say nothing of their own when it is a word. */
const THROUGH = new Set([
  'command_elements',
  'array_literal_expression',
  'unary_expression',
  'string_literal',
]);
const PLAIN = /^[\w./:=\\+-]+$/;

/** Run other commands or code, by any of their names. */
const RUNNERS = new Set(
  `iex invoke-expression icm invoke-command start-process saps start start-job sajb foreach-object foreach %
   where-object ? new-alias nal set-alias sal set-item si new-item ni set-variable sv new-variable nv import-module
   ipmo add-type invoke-item ii new-object register-scheduledtask invoke-wmimethod invoke-cimmethod`.split(
    /\s+/,
  ),
);

export function readPowerShell(root: SyntaxNode, text: string, list: PartList, around: Around): void {
  new PowerShellReader(text, list).statement(root, around);
}

class PowerShellReader {
  private joint = ';';

  constructor(
    private readonly text: string,
    private readonly list: PartList,
  ) {}

  statement(node: SyntaxNode, around: Around): void {
    if (node.type === 'command') this.command(node, around);
    else if (JOINING.has(node.type)) this.joined(node, around);
    else if (node.type !== 'comment') this.form(node, around);
  }

  private joined(node: SyntaxNode, around: Around): void {
    let end = node.startIndex;
    for (const child of node.children) {
      if (child === null) continue;
      const gap = this.text.slice(end, child.startIndex);
      if (child.startIndex > end && !/^\s*$/.test(gap)) throw new Unread('syntax');
      if (gap.includes('\n')) this.joint = ';';
      end = child.endIndex;
      if (JOINTS.has(child.type)) this.joint = child.type;
      else this.statement(child, within(around));
    }
  }

  private form(node: SyntaxNode, around: Around): void {
    const caution: Cautioned = { kind: 'odd', of: oneLine(node.text).slice(0, 20) };
    this.add([], node, { ...around, caution: around.caution ?? caution });
    this.search(node, { ...within(around), inside: true, caution });
  }

  private command(node: SyntaxNode, around: Around): void {
    const words: Word[] = [];
    const cautions: Cautioned[] = [];
    for (const piece of pieces(node)) {
      if (piece.type === 'command_argument_sep') {
        if (!/^[ \t]*$/.test(piece.text)) throw new Unread('syntax');
      } else if (piece.type === 'command_invokation_operator')
        cautions.push({ kind: 'wrapper', of: piece.text });
      else if (piece.type === 'redirection') {
        if (!/^[12]>&[12]$/.test(piece.text)) cautions.push({ kind: 'redirection', of: oneLine(piece.text) });
      } else {
        const word = wordOf(piece);
        words.push(word.word);
        if (word.caution !== undefined) cautions.push(word.caution);
      }
    }
    const [first] = words;
    const name = typeof first === 'string' ? first.toLowerCase() : '';
    if (RUNNERS.has(name)) cautions.push({ kind: 'wrapper', of: name });
    if (name.includes('-')) words[0] = name;
    const part = this.add(words, node, around);
    warn([part], cautions[0]);
    this.search(node, { ...within(around), inside: true, caution: part.caution });
  }

  private search(node: SyntaxNode, around: Around): void {
    for (const child of node.children) {
      if (child === null) continue;
      if (child.type === 'command') this.statement(child, within(around));
      else this.search(child, within(around));
    }
  }

  private add(words: readonly Word[], node: SyntaxNode, around: Around): Gathered {
    return this.list.add(words, node.text, around.inside === true ? '' : this.joint, around);
  }
}

/** The words of a command and what stands between them, in order. */
function pieces(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.flatMap((child) => {
    if (child === null) return [];
    const [only, ...others] = child.children;
    if (child.type === 'command_elements') return pieces(child);
    if (child.type === 'command_name_expr' && only !== undefined && only !== null) return [inner(only)];
    return THROUGH.has(child.type) && others.length === 0 ? [inner(child)] : [child];
  });
}

function inner(node: SyntaxNode): SyntaxNode {
  const [only, ...others] = node.children;
  return THROUGH.has(node.type) && only !== undefined && only !== null && others.length === 0
    ? inner(only)
    : node;
}

function wordOf(node: SyntaxNode): { readonly word: Word; readonly caution?: Cautioned } {
  const { type, text } = node;
  switch (type) {
    case 'command_name':
    case 'command_parameter':
    case 'generic_token':
    case 'decimal_integer_literal':
      if (PLAIN.test(text)) return { word: text };
      return /[<>]/.test(text)
        ? { word: { raw: text }, caution: { kind: 'redirection', of: oneLine(text) } }
        : { word: { raw: text } };
    case 'verbatim_string_characters':
      return { word: text.slice(1, -1).replace(/''/g, "'") };
    case 'expandable_string_literal':
      return /[`$]|""/.test(text.slice(1, -1))
        ? { word: { raw: text }, caution: { kind: 'substitution', of: oneLine(text) } }
        : { word: text.slice(1, -1) };
    default:
      return { word: { raw: text }, caution: { kind: 'odd', of: oneLine(text) } };
  }
}
