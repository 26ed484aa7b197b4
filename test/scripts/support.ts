/** Scripts in a whole host: a model that asks for one, and what became of it. */
import { scenes, toldOf, type Scene } from '../support/scene';
import type { Answer } from '../support/modelServer';

export const exec = (code: string, rest: Record<string, unknown> = {}, id = 'c1') => ({
  tool: 'exec',
  args: { code, ...rest },
  id,
});

export interface ScriptScene extends Scene {
  /** Runs one script in a turn of its own, and gives its result as the model reads it. */
  ran(code: string, rest?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Starts a turn that runs one script; the turn ends after it with `then`. */
  starts(code: string, rest?: Record<string, unknown>, then?: readonly Answer[]): Promise<void>;
  /** The result of the script's call, as it was published. */
  result(after?: number): Promise<Record<string, unknown>>;
}

export function scriptScenes(options?: Parameters<typeof scenes>[0]): ScriptScene {
  const scene = scenes(options) as ScriptScene;
  let made = 0;
  beforeEach(() => (made = 0));
  scene.starts = async (code, rest = {}, then = [{ text: 'Done.' }]) => {
    scene.server.script([{ calls: [exec(code, rest, `c${++made}`)] }, ...then]);
    await scene.say('go');
  };
  scene.ran = async (code, rest) => {
    const mark = scene.host.mark;
    await scene.starts(code, rest);
    await scene.host.next('turn_ended', mark);
    return toldOf(scene.server, `c${made}`);
  };
  scene.result = async (after = 0) => {
    const event = await scene.host.next('tool_completed', after, ({ data }) => data.tool === 'exec');
    return event.data.result as Record<string, unknown>;
  };
  return scene;
}
