/** Questions of outside agents, as a client comes by them and answers them. */
import assert from 'node:assert/strict';
import type { AgentScene } from './scene';

/** A form of one field, as servers describe it. */
export const COLOUR = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
};

/** The one thing that waits for a person: a question. */
export async function onlyQuestion(scene: AgentScene) {
  const { items } = await scene.host.request('need/list', {});
  const [need, ...rest] = items;
  assert.equal(rest.length, 0);
  assert.ok(need?.kind === 'question');
  return need.question;
}

export const answered = (scene: AgentScene, question: { id: string }, answer: object) =>
  scene.host.request('question/answer', {
    question: question.id,
    answer: answer as never,
    by: 'test',
  });
