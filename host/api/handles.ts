import { z } from 'zod';
import { pageOf } from '../base/capture';
import { refuse, RequestError } from '../engine/errors';
import { handleView } from '../engine/views';
import { number } from '../store/rows';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import { say } from '../../protocol';

/** Bytes of one page of a handle's output. */
const OUTPUT_PAGE = 64 * 1024;

/** What an ended handle's result says, as a text to page through. */
function ended(result: Readonly<Record<string, unknown>> | undefined): string {
  if (result === undefined) return '';
  const { stdout, stderr, output } = result;
  const said = [stdout, stderr, output].filter((part) => typeof part === 'string' && part !== '');
  return said.length > 0 ? said.join('') : JSON.stringify(result, null, 2);
}

const Kept = z.object({ whole: z.object({ transcript: z.string() }) });

/** The reference of all that an ended terminal has printed. */
function transcriptOf(result: unknown): string | undefined {
  const kept = Kept.safeParse(result);
  return kept.success ? kept.data.whole.transcript : undefined;
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
    if (live !== undefined) {
      const screen = params.screen === true ? await host.engine().terminal(row.id).screen() : undefined;
      return {
        handle: handleView(row),
        output: live.text,
        offset: live.offset,
        total: live.total,
        ...(screen === undefined ? {} : { screen }),
      };
    }
    const transcript = transcriptOf(row.result?.output);
    const kept =
      transcript === undefined
        ? undefined
        : await host.look((tables) => tables.keptPage(row.session, transcript, offset, limit));
    if (kept !== undefined)
      return {
        handle: handleView(row),
        output: kept.text,
        offset: kept.offset,
        total: kept.total,
        result: row.result?.output,
      };
    const said = pageOf(ended(row.result?.output), offset, limit);
    return {
      handle: handleView(row),
      output: said.text,
      offset: said.offset,
      total: said.total,
      ...(row.result === undefined ? {} : { result: row.result.output }),
    };
  },
  'handle/write': async ({ handle, text }, host) => {
    // Before its program runs nothing can be typed into it.
    await host.engine().terminal(handle).started;
    const outcome = host.engine().withTerminal(handle, (terminal, launch) => terminal.write(text, launch));
    switch (outcome) {
      case 'written':
        return {};
      case 'full':
        throw new RequestError(
          'limit_exceeded',
          say(
            'The program has not read what was typed before. Nothing of this was typed: try again, or stop it.',
          ),
          { handle },
        );
      case 'ended':
        throw new RequestError('handle_ended', say('This terminal has ended.'), { handle });
    }
  },
  'handle/resize': ({ handle, cols, rows }, host) => {
    host.engine().withTerminal(handle, (terminal, launch) => terminal.resize(cols, rows, launch));
    return {};
  },
  'handle/attach': async ({ handle, cols, rows }, host) => {
    const row = await host.look((tables) => tables.handle(handle));
    if (row === undefined) throw refuse('handle_unknown', { handle });
    const terminal = host.engine().terminal(handle);
    const size = { cols: cols ?? terminal.size.cols, rows: rows ?? terminal.size.rows };
    if (cols !== undefined || rows !== undefined)
      host.engine().withTerminal(handle, (own, launch) => own.resize(size.cols, size.rows, launch));
    return { view: host.views.attach(handle, terminal), handle: handleView(row), ...size };
  },
  'handle/detach': ({ view }, host) => {
    host.views.detach(view);
    return {};
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
