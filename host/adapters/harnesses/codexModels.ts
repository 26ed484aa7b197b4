/** The models that codex app-server lists (`model/list`), page by page. */
import { z } from 'zod';
import { LISTED_MODELS_MOST, type HarnessModel } from '../../../protocol';
import { RpcRefused } from './jsonRpc';
import type { ModelLister, Talk } from './modelLists';
import { INITIALIZE, serverRequest } from './codexAppServer/process';

const Reply = z.looseObject({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
const Page = z.looseObject({
  data: z.array(
    z.looseObject({
      model: z.string().min(1).max(256),
      displayName: z.string().optional(),
      description: z.string().nullish(),
      hidden: z.boolean().optional(),
      isDefault: z.boolean().optional(),
    }),
  ),
  nextCursor: z.string().nullish(),
});

/** Models of one page. */
const PAGE = 100;

export const codexModels: ModelLister = {
  request: (folder, around) => serverRequest({ folder }, around),
  list: async (talk) => {
    await ask(talk, 1, 'initialize', INITIALIZE);
    talk.send({ method: 'initialized' });
    const models: HarnessModel[] = [];
    let cursor: string | undefined;
    for (let id = 2; ; id += 1) {
      const params = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
      const page = Page.parse(await ask(talk, id, 'model/list', params));
      models.push(...page.data.filter((one) => one.hidden !== true).map(modelOf));
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined || models.length >= LISTED_MODELS_MOST || page.data.length === 0)
        return models;
    }
  },
};

const modelOf = ({
  model,
  displayName,
  description,
  isDefault,
}: z.infer<typeof Page>['data'][number]): HarnessModel => ({
  id: model,
  name: displayName ?? model,
  ...(typeof description === 'string' && description !== '' ? { detail: description } : {}),
  ...(isDefault === true ? { usual: true as const } : {}),
});

function ask(talk: Talk, id: number, method: string, params: object): Promise<unknown> {
  const reply = talk.next((message) => {
    const told = Reply.safeParse(message).data;
    if (told?.id !== id) return undefined;
    if (told.error !== undefined) throw new RpcRefused(told.error.code, told.error.message);
    return { result: told.result };
  });
  talk.send({ id, method, params });
  return reply.then(({ result }) => result);
}
