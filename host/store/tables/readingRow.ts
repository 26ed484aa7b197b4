/** What was read of a command, as it is stored with the call or the rule that it belongs to. */
import { z } from 'zod';

const WordRow = z.union([z.string(), z.object({ raw: z.string(), value: z.string().optional() })]);

export const PartRow = z.object({
  words: z.array(WordRow),
  text: z.string(),
  caution: z
    .object({
      kind: z.enum([
        'assignment',
        'substitution',
        'expansion',
        'redirection',
        'heredoc',
        'background',
        'construct',
        'moved',
        'shell_state',
        'wrapper',
        'interpreter',
        'hidden',
        'action',
        'odd',
      ]),
      of: z.string(),
    })
    .optional(),
  after: z.array(z.string()).optional(),
  inside: z.literal(true).optional(),
});

export const ReadingRow = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('parsed'), parts: z.array(PartRow) }),
  z.object({
    kind: z.literal('unparsed'),
    reason: z.enum(['shell', 'syntax', 'characters', 'size', 'empty', 'unread']),
  }),
]);
