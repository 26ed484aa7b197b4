/** What a call's result leaves in files is on the disk before the result is told: the job that records it has only to name them (D7). */
import type { Image } from '../../protocol';
import type { CallResult, ToolPort } from '../engine/ports';
import type { StoreLedger } from '../store/ledger';
import type { Content } from '../store/stagedFiles';
import { filesOfPictures } from '../store/tables/kept';

type Ledger = () => Pick<StoreLedger, 'stage'> | undefined;

/** The same tools; a call of theirs is done once its files are written. */
export function withFiles(tools: ToolPort, ledger: Ledger): ToolPort {
  const staged = async (result: CallResult): Promise<CallResult> => {
    const contents = filesOf(result);
    if (contents.length > 0) await ledger()?.stage(contents);
    return result;
  };
  return {
    ...tools,
    run: (...given) => {
      const run = tools.run(...given);
      const done = run.done.then(staged);
      return {
        done,
        stop: (reason) => run.stop(reason),
        detach: () => run.detach(),
        read: (offset, limit) => run.read(offset, limit),
        ...(run.terminal === undefined ? {} : { terminal: run.terminal }),
      };
    },
  };
}

const filesOf = ({ kept = [], changes = [], images = [] }: CallResult): readonly Content[] => [
  ...kept.map(({ text }): Content => ({ text, encoding: 'utf8' })),
  ...changes.flatMap(({ before, after }) => [before, after].filter((side) => side !== undefined)),
  ...filesOfPictures(images),
];

/** Writes the pictures of what a person sends, in the order in which it came: a message does not overtake an earlier one. */
export function picturesInOrder(ledger: Ledger): (images: readonly Image[]) => Promise<void> {
  let last = Promise.resolve();
  return (images) => {
    const contents = filesOfPictures(images);
    last = last.then(() => (contents.length === 0 ? undefined : ledger()?.stage(contents)));
    return last;
  };
}
