import type { z } from 'zod';
import { subjectOf } from '../../engine/approvals/reading';
import type { Workplace } from '../../engine/ports';
import type { Shown } from './diffPreview';
import { classOf, locate, type Located, type Purpose } from './paths';
import { defineTool, sentence, unsound, type Definition, type Tool } from './tool';

interface PathTool<A> extends Pick<Definition<A>, 'name' | 'description' | 'sides'> {
  readonly args: z.ZodType<A>;
  /** First word of the title. */
  readonly verb: string;
  readonly purpose: Purpose;
  /** An edit that says what was in the file. */
  readonly tells?: true;
  title?(args: A, at: Located): string;
  /** Absent for a tool that only reads. */
  show?(args: A, at: Located): Promise<Shown | undefined>;
  run: NonNullable<Definition<A>['run']>;
}

/** A tool on one path: the path is located, judged by where it leads, and shown. */
export function pathTool<A extends { readonly path?: string | undefined }>(tool: PathTool<A>): Tool {
  return defineTool({
    ...tool,
    prepare: async (args: A, place: Workplace) => {
      try {
        const at = await locate(place, args.path ?? '.', tool.purpose);
        const shown = await tool.show?.(args, at);
        return {
          tool: tool.name,
          class: classOf(tool.purpose, at),
          title: tool.title?.(args, at) ?? `${tool.verb} ${at.shown}`,
          args,
          preview: shown?.preview ?? { kind: 'arguments' },
          ...(shown === undefined ? {} : { print: shown.print }),
          subject: subjectOf([at]),
          ...(tool.tells === undefined ? {} : { tells: tool.tells }),
          liftable: false,
        };
      } catch (error) {
        return unsound(sentence(error));
      }
    },
  });
}
