/** A host, a scripted model and a session in it, for one test; ended after it, with the wire's rules checked. */
import assert from 'node:assert/strict';
import type { ApprovalId, CallId, SessionId } from '../../protocol';
import { HostClient, localModel, type HostOptions } from './hostClient';
import { startModelServer, type Answer, type ModelServer } from './modelServer';

export interface Scene {
  server: ModelServer;
  host: HostClient;
  session: SessionId;
  /** Settings that go with the scripted model. */
  settings: Record<string, unknown>;
  say(text: string, rest?: Record<string, unknown>): ReturnType<HostClient['request']>;
  /** A shell call in the mode `ask`, announced: its approval. */
  asked(after?: number): Promise<{ id: ApprovalId; call: CallId; request: number }>;
  allow(approval: { id: ApprovalId; request: number }, rest?: Record<string, unknown>): Promise<unknown>;
  deny(approval: { id: ApprovalId; request: number }, reason?: string): Promise<unknown>;
  /** Ends the host as a crash would, and starts another on the same store. */
  crash(options?: Partial<HostOptions>): Promise<void>;
  /** Stops the host in order, and starts another on the same store. */
  restart(options?: Partial<HostOptions>): Promise<void>;
}

export const shell = (command: string, rest: Record<string, unknown> = {}, id?: string) => ({
  tool: 'shell',
  args: { command, ...rest },
  ...(id === undefined ? {} : { id }),
});

/** Makes a fresh scene for each test of the suite. */
export function scenes(
  options: {
    settings?: Record<string, unknown>;
    /** Settings that are known only when a test begins. */
    lazily?: () => Record<string, unknown>;
    host?: HostOptions;
  } = {},
): Scene {
  const scene = {} as Scene;
  beforeEach(async () => {
    scene.server = await startModelServer();
    scene.settings = localModel(scene.server.url, { ...options.settings, ...options.lazily?.() });
    scene.host = await HostClient.start({ ...options.host, settings: scene.settings });
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    scene.session = session.id;
  });
  afterEach(async () => {
    await scene.host.stop();
    await scene.server.stop();
    assert.deepEqual(scene.server.violations, []);
  });
  scene.say = (text, rest = {}) =>
    scene.host.request('message/send', { session: scene.session, text, ...rest });
  scene.asked = async (after = 0) => {
    const event = await scene.host.next('approval_requested', after);
    return { id: event.data.id, call: event.data.call_id, request: event.data.request };
  };
  scene.allow = (approval, rest = {}) =>
    scene.host.request('approval/answer', {
      approval: approval.id,
      request: approval.request,
      decision: 'allow',
      by: 'test',
      ...rest,
    });
  scene.deny = (approval, reason) =>
    scene.host.request('approval/answer', {
      approval: approval.id,
      request: approval.request,
      decision: 'deny',
      by: 'test',
      ...(reason === undefined ? {} : { reason }),
    });
  scene.crash = async (again = {}) => {
    await scene.host.kill();
    scene.host = await scene.host.again({ settings: scene.settings, ...again });
  };
  scene.restart = async (again = {}) => {
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    scene.host = await scene.host.again({ settings: scene.settings, ...again });
  };
  return scene;
}

/** What the model was told of a call, in the newest request. */
export function toldOf(server: ModelServer, callId: string): Record<string, unknown> {
  const item = server.requests.at(-1)?.items.find((one) => one.role === 'tool' && one.callId === callId);
  assert.ok(item !== undefined, `no result of ${callId} in the newest request`);
  return JSON.parse(item.text) as Record<string, unknown>;
}

export const done = (text = 'Done.'): Answer => ({ text });
