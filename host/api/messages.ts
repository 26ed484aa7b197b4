import { refuse } from '../engine/errors';
import { messageView } from '../engine/views';
import { RequestError } from '../engine/errors';
import { number } from '../store/rows';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import { say } from '../../protocol';

export const messageHandlers: Handlers = {
  'message/send': async (params, host) => {
    if (
      params.text.trim() === '' &&
      (params.images ?? []).length === 0 &&
      (params.context ?? []).length === 0
    )
      throw new RequestError('invalid_params', say('The message is empty.'));
    const engine = host.engine();
    // Also without pictures: an earlier message may still be writing its own.
    await host.pictures(params.images ?? []);
    const accepted = await engine.send({
      session: params.session,
      text: params.text,
      images: params.images ?? [],
      context: params.context ?? [],
      delivery: params.delivery ?? 'steer',
      clientId: params.clientId,
      expectedTurn: params.expectedTurn,
    });
    return {
      message: messageView(accepted.message),
      state: accepted.state,
      ...(accepted.turn === undefined ? {} : { turn: accepted.turn }),
    };
  },
  'message/list': (params, host) =>
    host.look((tables) => {
      if (tables.session(params.session) === undefined)
        throw refuse('session_unknown', { session: params.session });
      const limit = limitOf(params.limit);
      const start = cursorOf(params.cursor, 0);
      const unread = tables
        .unread(params.session)
        .map(messageView)
        .slice(start, start + limit + 1);
      const { items, next } = page(unread, limit, (message) => number(message.id));
      return next === undefined ? { items } : { items, next: String(start + limit) };
    }),
  'message/edit': async (params, host) => {
    await host.engine().edit(params.message, params.text);
    return host.look((tables) => {
      const message = tables.message(params.message);
      if (message === undefined) throw refuse('message_unknown', { message: params.message });
      return { message: messageView(message) };
    });
  },
  'message/remove': async (params, host) => {
    await host.engine().remove(params.message);
    return {};
  },
  'message/reorder': async (params, host) => {
    await host.engine().reorder(params.session, params.order);
    return {};
  },
};
