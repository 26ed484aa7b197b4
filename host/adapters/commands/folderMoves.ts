/**
 * A rule holds in one folder, so each part is told where it runs: behind changes of folder that surely come before it,
 * or in a place that cannot be told from the line.
 */
import { programName, textOf } from '../../engine/approvals/commandRules';
import type { Gathered } from './partList';

const MOVES = new Set([
  'cd',
  'chdir',
  'pushd',
  'popd',
  'sl',
  'set-location',
  'push-location',
  'pop-location',
]);

export function tellPlaces(parts: readonly Gathered[]): void {
  /** The folders of the changes so far. */
  const after: string[] = [];
  /** A change that may or may not have happened. */
  let lost: string | undefined;
  /** Everything since the last `;` is joined by `&&` and pipes: what stands behind a change comes after it. */
  let sure = true;
  const own = parts.filter((part) => part.inside !== true);
  for (const [at, part] of own.entries()) {
    if (part.joint === '||') sure = false;
    if (at > 0 && isBreak(part.joint)) {
      if (after.length > 0) lost ??= `cd ${after.join(' && cd ')}`;
      sure = part.joint !== '||';
    }
    if (lost !== undefined) part.caution ??= { kind: 'moved', of: lost };
    else if (after.length > 0) part.after = [...after];
    if (!isMove(part)) continue;
    const next = own[at + 1];
    const isAlone = part.joint !== '|' && part.joint !== '|&' && next?.joint === '&&';
    const folder = folderOf(part);
    if (sure && lost === undefined && isAlone && folder !== undefined) after.push(folder);
    else lost ??= part.text;
  }
}

const isBreak = (joint: string): boolean => joint === ';' || joint === '||';

const isMove = ({ words: [first] }: Gathered): boolean =>
  first !== undefined && MOVES.has(programName(textOf(first)));

/** `cd` to one folder that is written out. */
function folderOf({ words, caution }: Gathered): string | undefined {
  const [move, folder, ...others] = words;
  if (caution !== undefined || others.length > 0 || move !== 'cd') return undefined;
  return typeof folder === 'string' && !/^[-+]/.test(folder) ? folder : undefined;
}
