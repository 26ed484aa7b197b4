/**
 * A host bundle with a barrier in every `await` on the way to an effect, made from the code by its syntax tree:
 * what is new in these folders is covered as soon as it is there. The product has nothing of it.
 *
 * Wrapped are the operand of each `await`, the object of each `.then(…)`, and what each `for await` goes over; each
 * is a named place. What is handed to a `launch(…)` is counted when it runs.
 */
import { build } from 'esbuild';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { PRELUDE } from './prelude';

const repository = join(__dirname, '../..');

/** Where effects are decided, prepared and done. */
const ON_THE_WAY =
  /^host\/(engine\/driver|adapters|compose)\/|^host\/base\/(effects|replaceFile|web\/web)\.ts$/;

/** `host/adapters/tools/read.ts:35 openFile(launch, at.real)` */
export interface Place {
  readonly id: string;
  readonly file: string;
}

export interface Instrumented {
  readonly text: string;
  readonly places: readonly Place[];
}

/** Builds the bundle into `out/cord/`; the worker files of the product are found in `dist/`. */
export async function buildInstrumentedHost(): Promise<{ bundle: string; places: readonly Place[] }> {
  const places: Place[] = [];
  const bundle = join(repository, 'out/cord/host.js');
  mkdirSync(join(repository, 'out/cord'), { recursive: true });
  await build({
    entryPoints: [join(repository, 'host/main.ts')],
    outfile: bundle,
    bundle: true,
    // The prelude knows a look at the disk by the name of its launch.
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['node-pty', '@vscode/ripgrep'],
    define: {
      BELAY_VERSION: '"0.0.0"',
      'process.env.NODE_ENV': '"development"',
      'import.meta.url': 'bundleUrl',
    },
    banner: { js: `const bundleUrl = require('node:url').pathToFileURL(__filename).href;\n${PRELUDE}` },
    logLevel: 'error',
    plugins: [
      {
        name: 'barriers',
        setup: (setup) =>
          setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const file = relative(repository, path).split(sep).join('/');
            if (!ON_THE_WAY.test(file)) return undefined;
            const made = instrument(file, readFileSync(path, 'utf8'));
            places.push(...made.places);
            return { contents: made.text, loader: 'ts' };
          }),
      },
    ],
  });
  return { bundle, places };
}

/** The text of a file with its barriers. */
export function instrument(file: string, text: string): Instrumented {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const places: Place[] = [];
  const opening: Edit[] = [];
  const closing: Edit[] = [];
  const wrap = (node: ts.Node, hook: string, rest = ''): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const words = node.getText().replace(/\s+/g, ' ').slice(0, 60);
    const id = `${file}:${String(line)} ${words}`;
    if (hook !== 'effect') places.push({ id, file });
    opening.push({ at: node.getStart(), text: `__cord.${hook}(${JSON.stringify(id)}, (` });
    closing.push({ at: node.getEnd(), text: `)${rest})` });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isAwaitExpression(node)) wrap(node.expression, 'wait');
    else if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) wrap(node.expression, 'each');
    else if (ts.isCallExpression(node)) {
      const callee = node.expression;
      if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'then')
        wrap(callee.expression, 'wait');
      const [effect] = node.arguments;
      if (isLaunch(callee) && effect !== undefined) wrap(effect, 'effect', `, ${callee.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { text: apply(text, [...closing.reverse(), ...opening]), places };
}

const isLaunch = (callee: ts.Expression): boolean =>
  (ts.isIdentifier(callee) && callee.text === 'launch') ||
  (ts.isPropertyAccessExpression(callee) && callee.name.text === 'launch');

interface Edit {
  readonly at: number;
  readonly text: string;
}

/** At one place what closes comes before what opens, the inner end before the outer, the outer begin before the inner. */
function apply(text: string, edits: readonly Edit[]): string {
  const inOrder = edits
    .map((edit, order) => ({ ...edit, order }))
    .sort((a, b) => a.at - b.at || a.order - b.order);
  let made = '';
  let from = 0;
  for (const edit of inOrder) {
    made += text.slice(from, edit.at) + edit.text;
    from = edit.at;
  }
  return made + text.slice(from);
}
