/** The models that Claude Code offers: told with its own `initialize`, before any prompt (measured with 2.1.197). */
import { z } from 'zod';
import type { HarnessModel } from '../../../protocol';
import type { ModelLister } from './modelLists';
import { claudeRequest } from './claude/process';

const REQUEST = 'belay-models';
const Answer = z.looseObject({
  type: z.literal('control_response'),
  response: z.looseObject({
    request_id: z.literal(REQUEST),
    error: z.string().optional(),
    response: z
      .looseObject({
        models: z
          .array(
            z.looseObject({
              value: z.string().min(1).max(256),
              displayName: z.string().optional(),
              description: z.string().optional(),
            }),
          )
          .optional(),
      })
      .optional(),
  }),
});
/** What stands for no choice at all. */
const USUAL = 'default';

export const claudeModels: ModelLister = {
  request: (folder, around) => claudeRequest({ folder, model: undefined }, undefined, false, around),
  list: (talk) => {
    const answer = talk.next((message): readonly HarnessModel[] | undefined => {
      const told = Answer.safeParse(message).data?.response;
      if (told === undefined) return undefined;
      if (told.error !== undefined) throw new Error(told.error);
      return (told.response?.models ?? [])
        .filter(({ value }) => value !== USUAL)
        .map(({ value, displayName, description }) => ({
          id: value,
          name: displayName ?? value,
          ...(description === undefined ? {} : { detail: description }),
        }));
    });
    talk.send({
      type: 'control_request',
      request_id: REQUEST,
      request: { subtype: 'initialize', hooks: null },
    });
    return answer;
  },
};
