import { cursorOf, limitOf, page, type Handlers } from './handler';

export const clientToolHandlers: Handlers = {
  'clientTool/register': (params, host) => ({
    tools: [...host.clientTools.register(params.client, params.tools)],
  }),
  'clientTool/unregister': (params, host) => {
    host.clientTools.unregister(params.client, params.tools);
    return {};
  },
  'clientTool/list': (params, host) => {
    const after = cursorOf(params.cursor, 0);
    const rows = host.clientTools.list().map((tool, place) => ({ tool, place: place + 1 }));
    const limit = limitOf(params.limit);
    const { items, next } = page(rows.slice(after, after + limit + 1), limit, (row) => row.place);
    return { items: items.map((row) => row.tool), ...(next === undefined ? {} : { next }) };
  },
};
