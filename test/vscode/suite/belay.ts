/** What the tests inside the extension host share: the API of the extension, and an agent whose model is scripted. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { BelayApi } from '../../../extension/api';
import type { BelayEvent, EventOf, EventType, SessionId } from '../../../protocol';
import { startModelServer, type Answer, type ModelServer } from '../../support/modelServer';

export function extension(): vscode.Extension<BelayApi> {
  const found = vscode.extensions.getExtension<BelayApi>('belay.belay');
  assert.ok(found, 'the extension is not installed');
  return found;
}

export const folder = (): string => {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first);
  return first.uri.fsPath;
};

/** An agent that says what the test scripts; it is set up in the person's settings, as a person would. */
export class Agent {
  readonly events: BelayEvent[] = [];
  private constructor(
    readonly api: BelayApi,
    readonly models: ModelServer,
    readonly session: SessionId,
  ) {}

  static async start(): Promise<Agent> {
    const models = await startModelServer();
    const settings = vscode.workspace.getConfiguration('belay');
    const local = { kind: 'openai-compatible', baseUrl: models.url, models: [{ id: 'm1' }] };
    await settings.update('models.providers', { local }, vscode.ConfigurationTarget.Global);
    const api = await extension().activate();
    const agent = { kind: 'model', model: 'local/m1' } as const;
    const { session } = await api.request('session/create', { folder: folder(), agent });
    const made = new Agent(api, models, session.id);
    api.onEvent((event) => made.events.push(event));
    return made;
  }

  async send(text: string, answers: readonly Answer[]): Promise<void> {
    this.models.script(answers);
    await this.api.request('message/send', { session: this.session, text });
  }

  /** The first event of this type that the test has not taken yet. */
  async next<T extends EventType>(type: T): Promise<EventOf<T>> {
    for (;;) {
      const index = this.events.findIndex((event) => event.type === type);
      const [found] = index < 0 ? [] : this.events.splice(0, index + 1).slice(-1);
      if (found !== undefined) return found as EventOf<T>;
      await new Promise<void>((resolve) => {
        const listening = this.api.onEvent(() => {
          listening.dispose();
          resolve();
        });
      });
    }
  }

  async stop(): Promise<void> {
    await this.api.request('session/delete', { session: this.session });
    await this.models.stop();
  }
}

/** Waits until the editor shows what it should; the editor tells of some changes and not of others. */
export async function eventually<T>(what: string, look: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    assert.ok(Date.now() < deadline, `not within 10 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
