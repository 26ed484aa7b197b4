/** Messages of `codex app-server`, as measured. */
import type { AgentScene } from './scene';
import type { Puppet } from './stage';

export const THREAD = '00000000-0000-7000-8000-000000000002';
export const TURN = '00000000-0000-7000-8000-000000000003';

export const of = (turn = TURN) => ({ threadId: THREAD, turnId: turn });
export const told = (method: string, params: object) => ({ method, params });
export const turnTold = (method: string, status: string, turn = TURN, thread = THREAD) =>
  told(method, { threadId: thread, turn: { id: turn, status, error: null } });
export const item = (when: 'started' | 'completed', one: object) =>
  told(`item/${when}`, { ...of(), item: one });
export const command = (id: string, line: string, rest: object = {}) => ({
  type: 'commandExecution',
  id,
  command: `/bin/bash -lc '${line}'`,
  cwd: '/repo',
  processId: null,
  status: 'inProgress',
  ...rest,
});
export const words = (id: string, text: string) => ({ type: 'agentMessage', id, text });
export const user = (id: string) => ({ type: 'userMessage', id, content: [] });

/** Answers a request of ours by its method. */
export async function answer(
  puppet: Puppet,
  method: string,
  result: object,
): Promise<Record<string, unknown>> {
  const asked = await puppet.messageLike((message) => message['method'] === method);
  await puppet.say({ id: asked['id'], result });
  return asked;
}

/** A turn of codex's that is under way. */
export async function begin(scene: AgentScene, text = 'go') {
  const { turn } = (await scene.say(text)) as { turn: never };
  const puppet = await scene.stage.next();
  await answer(puppet, 'initialize', { userAgent: 'codex' });
  const started = await answer(puppet, 'thread/start', { thread: { id: THREAD } });
  const asked = await answer(puppet, 'turn/start', { turn: { id: TURN, status: 'inProgress' } });
  await puppet.say(
    turnTold('turn/started', 'inProgress'),
    item('started', user('u1')),
    item('completed', user('u1')),
  );
  return { puppet, turn, started, asked };
}
