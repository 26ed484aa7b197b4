/** A host with an outside agent that a test plays, and a session with it; ended after the test. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { ApprovalId, CallId, SessionId } from '../../../protocol';
import { HostClient, type HostOptions } from '../hostClient';
import { Stage } from './stage';

export interface AgentScene {
  stage: Stage;
  host: HostClient;
  session: SessionId;
  say(text: string, rest?: Record<string, unknown>): ReturnType<HostClient['request']>;
  asked(after?: number): Promise<{ id: ApprovalId; call: CallId; request: number }>;
  verdict(
    approval: { id: ApprovalId; request: number },
    decision: 'allow' | 'deny',
    rest?: Record<string, unknown>,
  ): Promise<unknown>;
  /** Ends the host as a crash would, and starts another on the same store. */
  crash(): Promise<void>;
  restart(): Promise<void>;
}

export function agentScenes(
  harness: string,
  options: {
    readonly host?: HostOptions;
    readonly mode?: 'ask' | 'edits' | 'full';
    readonly settings?: object;
  } = {},
): AgentScene {
  const scene = {} as AgentScene;
  let settings: Record<string, unknown>;
  beforeEach(async () => {
    scene.stage = await Stage.open();
    const { env } = scene.stage;
    settings = {
      ...options.settings,
      harnesses: {
        codex: { path: scene.stage.program('codex'), env },
        claude: { path: scene.stage.program('claude'), env },
        acp: { puppet: { command: scene.stage.program('acp'), args: ['--acp'], env } },
      },
    };
    scene.host = await HostClient.start({ ...options.host, settings });
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'harness', harness },
      ...(options.mode === undefined ? {} : { mode: options.mode }),
    });
    scene.session = session.id;
  });
  afterEach(async () => {
    scene.stage.letGo();
    await scene.host.stop();
    await scene.stage.close();
  });
  scene.say = (text, rest = {}) =>
    scene.host.request('message/send', { session: scene.session, text, ...rest });
  scene.asked = async (after = 0) => {
    const { data } = await scene.host.next('approval_requested', after);
    return { id: data.id, call: data.call_id, request: data.request };
  };
  scene.verdict = (approval, decision, rest = {}) =>
    scene.host.request('approval/answer', {
      approval: approval.id,
      request: approval.request,
      decision,
      by: 'test',
      ...rest,
    });
  scene.crash = async () => {
    await scene.host.kill();
    scene.host = await scene.host.again({ settings });
  };
  scene.restart = async () => {
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    scene.host = await scene.host.again({ settings });
  };
  return scene;
}

/** Whether a process is there and has not ended. */
export function isAlive(pid: number): boolean {
  const stat = `/proc/${String(pid)}/stat`;
  if (!existsSync('/proc/self/stat')) return signalled(pid);
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(stat, 'latin1'));
  } catch {
    return false;
  }
}

function signalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The text of the newest turn, in the order of its pieces. */
export function spoken(host: HostClient): string[] {
  return host.turns.at(-1)?.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])) ?? [];
}

export const assertGone = (pids: readonly number[]): void =>
  assert.deepEqual(
    pids.filter((pid) => isAlive(pid)),
    [],
  );
