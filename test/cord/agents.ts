/** Scenes with an outside agent: it is started and prompted, and a permission that it asked for is answered. */
import assert from 'node:assert/strict';
import { allow, say, type Scene, type Stage } from './scene';
import { ASK_FIRST } from './troupe';

const prompts = ({ heard }: Stage) => heard('prompt');
const permissions = ({ heard }: Stage) => heard('allowed');

export const agentScenes: readonly Scene[] = [
  ...['acp:puppet', 'claude', 'codex', 'codex-exec'].map((agent): Scene => ({
    name: `the start and the prompt of ${agent}`,
    mode: 'full',
    agent,
    lives: true,
    act: say,
    happened: prompts,
  })),
  {
    name: 'the answer to what an ACP agent asks',
    mode: 'ask',
    agent: 'acp:puppet',
    lives: true,
    act: async (stage) => {
      await stage.say(ASK_FIRST);
      await allow(stage);
    },
    happened: permissions,
    told: (stage, where) => {
      // The agent that asked may have been ended by the pull: what was allowed is then granted to the next one.
      assert.ok(permissions(stage) <= 1, `it was answered twice: ${where}`);
      return Promise.resolve();
    },
  },
];
