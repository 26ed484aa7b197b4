import { EDITOR_PROVIDER, type ModelInfo, type RuleDraft, say } from '../../protocol';
import { RequestError } from '../engine/errors';
import { ruleView } from '../engine/views';
import { number } from '../store/rows';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import type { Host } from './host';
import { settledMatch } from './places';

export const ruleHandlers: Handlers = {
  'rule/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const after = cursorOf(params.cursor, 0);
      // The ids of the person's rules are behind all of a store.
      const own = host.userRules().filter((rule) => number(rule.id) > after);
      const rules = [...tables.rulePage(params.session, after, limit + 1), ...own];
      return page(rules.map(ruleView), limit, (rule) => number(rule.id));
    }),
  'rule/add': async (params, host) => {
    const rule = await host
      .engine()
      .addRule({ ...(await drafted(params, host)), by: params.by ?? say('you') });
    return { rule };
  },
  'rule/preview': async (params, host) => ({
    label: await host.engine().previewRule(await drafted(params, host)),
  }),
  'rule/remove': async (params, host) => {
    await host.engine().removeRule(params.rule);
    return {};
  },
  'rule/explain': (params, host) => host.engine().explain(params.session, params.tool, params.args),
};

/** The rule with its match as calls are compared with it. */
async function drafted({ effect, scope, session, match }: RuleDraft, host: Host): Promise<RuleDraft> {
  if ((scope === 'session') !== (session !== undefined))
    throw new RequestError(
      'invalid_params',
      say('"session" belongs to the scope "session", and only to it.'),
    );
  const settled = await settledMatch({ match, scope }, host.roots());
  return { effect, scope, match: settled, ...(session === undefined ? {} : { session }) };
}

export const modelHandlers: Handlers = {
  'model/list': async ({ look = false }, host) => {
    const may = look && host.trusted() && !host.readOnly;
    return host.models.list(may ? host.engine().cord.launch() : undefined);
  },
  'model/offer': (params, host) => {
    host.offer(
      params.models.map((model): ModelInfo => ({
        id: `${EDITOR_PROVIDER}/${model.id}`,
        name: model.name,
        provider: EDITOR_PROVIDER,
        ready: true,
        ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
      })),
    );
    return {};
  },
};

export const harnessHandlers: Handlers = {
  'harness/list': async (_params, host) => ({ items: [...(await host.harnesses.list())] }),
  'harness/models': async ({ harness }, host) => {
    const [folder] = host.roots();
    const launch =
      host.trusted() && !host.readOnly && folder !== undefined ? host.engine().cord.launch() : undefined;
    const { items, note } = await host.harnesses.models(harness, folder ?? '', launch);
    return { items: [...items], ...(note === undefined ? {} : { note }) };
  },
};

export const storeHandlers: Handlers = {
  'audit/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const before = params.cursor === undefined ? undefined : cursorOf(params.cursor, 0);
      return page(tables.auditPage(params, before, limit + 1), limit, (entry) => entry.id);
    }),
  'store/status': (_params, host) => {
    const stats = host.store.stats();
    const trouble = host.trouble();
    return {
      dir: host.storeDir,
      readOnly: host.readOnly,
      bytes: stats.dbBytes,
      walBytes: stats.walBytes,
      commits: stats.commits,
      syncs: stats.syncs,
      ...(trouble === undefined ? {} : { trouble }),
    };
  },
  'store/prune': async (params, host) => {
    const turns = await host.engine().prune(params.keepTurns, params.session);
    return { turns, files: await host.sweepFiles() };
  },
  'store/check': (_params, host) => ({ problems: host.store.check() }),
};
