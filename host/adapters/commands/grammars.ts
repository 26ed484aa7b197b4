/**
 * Tree-sitter with the grammars of two shells, behind one file. Nothing is loaded before the first command.
 *
 * Owns the parser of this thread. 1. The files are the pinned ones. 2. A parse is bounded in time and size, and its
 * tree is given back before `read` returns.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language, Parser } from './treeSitter';
import type { Clock } from '../../base/clock';

/** What the readers see of a tree. Offsets are those of the text's characters. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly isNamed: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly children: readonly (SyntaxNode | null)[];
}

export type Grammar = 'bash' | 'powershell';

/** By the names of the files of @vscode/tree-sitter-wasm 0.3.1. */
const SHA256 = {
  'tree-sitter.wasm': '3a31af706ffdf4a7116b064cdd4988df6791823298615009fc5b6bccbd42909b',
  'tree-sitter-bash.wasm': 'a14e9ed880b2c3f16cd00c796c38d237a3e9b028bdec5b4315c76976e67b01ca',
  'tree-sitter-powershell.wasm': '55526edd3545fb7e78ff88c39dd617d8b3c03a1d1a88209fffe5c64c7c7c8500',
} as const;

/** Nodes of a tree that is looked at: a line of 16 KiB that a person could judge has far fewer. */
const NODES = 10_000;

type Library = { readonly Language: typeof Language; readonly Parser: typeof Parser };

let engine: Promise<Library> | undefined;
const languages = new Map<Grammar, Promise<Language>>();

/** A parser of one grammar. `assets` is the folder of its files. Rejects when they are not the pinned ones. */
export async function loadGrammar(assets: string, grammar: Grammar): Promise<ParserOf> {
  engine ??= start(assets).catch((error: unknown) => {
    engine = undefined;
    throw error;
  });
  const library = await engine;
  let language = languages.get(grammar);
  if (language === undefined) {
    const loading = pinned(assets, `tree-sitter-${grammar}.wasm`).then((bytes) =>
      library.Language.load(bytes),
    );
    languages.set(grammar, loading);
    loading.catch(() => languages.delete(grammar));
    language = loading;
  }
  const parser = new library.Parser();
  parser.setLanguage(await language);
  return new ParserOf(parser);
}

async function start(assets: string): Promise<Library> {
  const library = await import('./treeSitter');
  const wasmBinary = await pinned(assets, 'tree-sitter.wasm');
  const options = { wasmBinary, locateFile: (file: string) => join(assets, file) };
  await library.Parser.init(options);
  return library;
}

async function pinned(assets: string, name: keyof typeof SHA256): Promise<Uint8Array> {
  const bytes = await readFile(join(assets, name));
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash !== SHA256[name]) throw new Error(`${name} has the hash ${hash}.`);
  return bytes;
}

export class ParserOf {
  constructor(private readonly parser: Parser) {}

  /**
   * Reads one text. `use` gets the root of its tree, which is gone afterwards. Gives what is wrong with it: an error
   * in it, or a size that was not read by `until` or has too many nodes.
   */
  read(
    text: string,
    clock: Clock,
    until: number,
    use: (root: SyntaxNode) => void,
  ): 'size' | 'syntax' | undefined {
    const tree = this.parser.parse(text, null, { progressCallback: () => clock.now() > until });
    if (tree === null) {
      this.parser.reset();
      return 'size';
    }
    try {
      const root = tree.rootNode;
      if (root.hasError) return 'syntax';
      if (root.descendantCount > NODES) return 'size';
      use(root);
      return undefined;
    } finally {
      tree.delete();
    }
  }
}
