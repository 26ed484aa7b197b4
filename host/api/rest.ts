import { EDITOR_PROVIDER, type ModelInfo, say } from '../../protocol';
import { RequestError } from '../engine/errors';
import { ruleView } from '../engine/views';
import { number } from '../store/rows';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import { settledMatch } from './places';

export const ruleHandlers: Handlers = {
  'rule/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const rules = tables.rulePage(params.session, cursorOf(params.cursor, 0), limit + 1).map(ruleView);
      return page(rules, limit, (rule) => number(rule.id));
    }),
  'rule/add': async (params, host) => {
    if ((params.scope === 'session') !== (params.session !== undefined))
      throw new RequestError(
        'invalid_params',
        say('"session" belongs to the scope "session", and only to it.'),
      );
    const rule = await host.engine().addRule({
      effect: params.effect,
      scope: params.scope,
      match: await settledMatch(params.match, host.roots()),
      by: params.by ?? say('you'),
      ...(params.session === undefined ? {} : { session: params.session }),
    });
    return { rule };
  },
  'rule/remove': async (params, host) => {
    await host.engine().removeRule(params.rule);
    return {};
  },
  'rule/explain': (params, host) => host.engine().explain(params.session, params.tool, params.args),
};

export const modelHandlers: Handlers = {
  'model/list': async (_params, host) => ({ items: [...(await host.models.list())] }),
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
