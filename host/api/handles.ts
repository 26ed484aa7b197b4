import { refuse } from '../engine/errors';
import { handleView } from '../engine/views';
import { number } from '../store/rows';
import { cursorOf, limitOf, page, type Handlers } from './handler';

/** Bytes of one page of a handle's output. */
const OUTPUT_PAGE = 64 * 1024;

/** What an ended handle's result says, as a text to page through. */
function ended(result: Readonly<Record<string, unknown>> | undefined): string {
  if (result === undefined) return '';
  const { stdout, stderr } = result;
  const said = [stdout, stderr].filter((part) => typeof part === 'string' && part !== '');
  return said.length > 0 ? said.join('') : JSON.stringify(result, null, 2);
}

export const handleHandlers: Handlers = {
  'handle/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const rows = tables.handles(params.session, params.state, cursorOf(params.cursor, 0), limit + 1);
      return page(rows.map(handleView), limit, (handle) => number(handle.id));
    }),
  'handle/read': async (params, host) => {
    const row = await host.look((tables) => tables.handle(params.handle));
    if (row === undefined) throw refuse('handle_unknown', { handle: params.handle });
    const offset = params.offset ?? 0;
    const limit = Math.min(params.limit ?? OUTPUT_PAGE, OUTPUT_PAGE);
    const live = host.readOnly ? undefined : host.engine().readHandle(row.id, offset, limit);
    if (live !== undefined)
      return { handle: handleView(row), output: live.text, offset: live.offset, total: live.total };
    const text = ended(row.result?.output);
    return {
      handle: handleView(row),
      output: text.slice(offset, offset + limit),
      offset,
      total: text.length,
      ...(row.result === undefined ? {} : { result: row.result.output }),
    };
  },
  'handle/stop': async (params, host) => {
    const outcome = await host.engine().stopHandle(params.handle);
    return {
      handle: params.handle,
      stopped: outcome.stopped,
      ran: outcome.ran,
      ...(outcome.survivors.length === 0 ? {} : { survivors: [...outcome.survivors] }),
    };
  },
};
