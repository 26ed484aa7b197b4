import type { Agent, Session } from '../../protocol';
import { known, type Belay } from '../belay';

/**
 * A session in this folder with this agent, shown with the cursor in its composer. One of the same agent in which nothing
 * was said or set yet is taken, so that looking around leaves no empty sessions behind; one of another agent stays as it
 * is, for what is written in its composer and not sent was meant for that agent.
 */
export async function beginSession(belay: Belay, folder: string, agent: Agent): Promise<void> {
  const { sessions, unread } = await known(belay);
  const empty = sessions.find(
    (one) =>
      one.folder === folder &&
      isSame(one.agent, agent) &&
      isUntouched(one, belay) &&
      !unread.some((message) => message.session === one.id),
  );
  const { session } =
    empty === undefined ? await belay.host.request('session/create', { folder, agent }) : { session: empty };
  await belay.chat.show(session.id, { type: 'focus', target: 'composer' });
}

const isUntouched = (one: Session, belay: Belay): boolean =>
  one.title === '' &&
  one.turn === undefined &&
  one.ended === undefined &&
  !one.archived &&
  one.instructions === undefined &&
  one.mode === belay.settings.defaultMode();

const isSame = (a: Agent, b: Agent): boolean =>
  a.kind === 'model'
    ? b.kind === 'model' && a.model === b.model
    : b.kind === 'harness' && a.harness === b.harness && a.model === b.model;
