/** Another editor in a test's hands: the SDK's own client on `dist/acp.js` as a process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

export interface Asked {
  readonly request: RequestPermissionRequest;
  readonly signal: AbortSignal;
  readonly choose: (optionId: string) => void;
}

/** `base` holds its store and `s.json`, its settings. */
export class Editor {
  readonly updates: SessionUpdate[] = [];
  readonly asked: Asked[] = [];
  private readonly watchers = new Set<() => void>();
  private readonly child: ChildProcess;
  private readonly connection: ClientConnection;
  stderr = '';

  constructor(base: string, env: Readonly<Record<string, string>> = {}) {
    const args = [
      join(__dirname, '../../dist/acp.js'),
      '--store',
      join(base, 'store'),
      '--settings',
      join(base, 's.json'),
    ];
    // The first as the tests' own process has it (.mocharc.cjs).
    this.child = spawn(process.execPath, ['--liftoff-only', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.child.stderr?.on('data', (bytes: Buffer) => (this.stderr += bytes.toString()));
    const app = client({ name: 'test' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.look();
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => this.ask(params, signal));
    const output = Writable.toWeb(this.child.stdin!) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(this.child.stdout!) as ReadableStream<Uint8Array>;
    this.connection = app.connect(ndJsonStream(output, input));
  }

  get agent() {
    return this.connection.agent;
  }

  async open(cwd: string): Promise<string> {
    await this.initialize();
    return (await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
  }

  initialize() {
    return this.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
  }

  prompt(sessionId: string, text: string) {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** The nth permission request, from 0, as soon as it has come. */
  nth(place: number): Promise<Asked> {
    return this.until(() => this.asked[place]);
  }

  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined) return;
        this.watchers.delete(check);
        resolve(found);
      };
      this.watchers.add(check);
      check();
    });
  }

  said(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
          ? update.content.text
          : '',
      )
      .join('');
  }

  /** The ids of the calls that were shown, in order. */
  calls(): readonly string[] {
    return this.updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call' ? [update.toolCallId] : [],
    );
  }

  /** The last status that a call was shown with. */
  status(toolCallId: string): string | undefined {
    return this.updates
      .flatMap((update) =>
        (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
        update.toolCallId === toolCallId &&
        update.status != null
          ? [update.status]
          : [],
      )
      .at(-1);
  }

  /** For the next test on the same process: what has been shown and asked so far was another one's. */
  forget(): void {
    this.updates.length = 0;
    this.asked.length = 0;
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.stdin?.end();
    await gone;
  }

  private ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    return new Promise((resolve) => {
      const choose = (optionId: string) => resolve({ outcome: { outcome: 'selected', optionId } });
      signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }));
      this.asked.push({ request, signal, choose });
      this.look();
    });
  }

  private look(): void {
    for (const check of this.watchers) check();
  }
}
