/** An instrumented host with its model, in which scenes are played one after the other. Owns both, and a folder. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { HostClient } from '../support/hostClient';
import { StandIn } from '../support/mcpStandIn';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { Barriers } from './barriers';
import { answers, watchedRipgrep, type Scene, type Stage } from './scenes';

export class Theatre {
  private runs = 0;

  private constructor(
    readonly host: HostClient,
    readonly barriers: Barriers,
    private readonly server: ModelServer,
    private readonly folder: string,
    /** What the editor's model was asked, as JSON. */
    private readonly editorAsked: readonly string[],
    private readonly standIn: StandIn,
  ) {}

  static async open(bundle: string, { reaches, settings: own }: Scene): Promise<Theatre> {
    const folder = mkdtempSync(join(tmpdir(), 'belay-cord-'));
    const server = await startModelServer();
    const barriers = new Barriers({ ripgrep: watchedRipgrep(folder, rgPath) });
    const asked: string[] = [];
    const standIn = new StandIn();
    const stand =
      reaches === 'http' ? { type: 'http', url: await standIn.serve() } : reaches && standIn.config();
    const settings = {
      ...settingsFor(server),
      ...own,
      ...(stand === undefined ? {} : { mcp: { servers: { stand } } }),
    };
    const host = await HostClient.start({
      bundle: { path: bundle, worker: barriers.worker },
      settings,
      storeDir: join(folder, '.store'),
      workspace: folder,
      serve: (method, params) => {
        if (method !== 'model/request') return {};
        asked.push(JSON.stringify(params));
        return { stop: 'end' };
      },
    });
    return new Theatre(host, barriers, server, folder, asked, standIn);
  }

  /** A fresh session in a fresh folder, brought to where the scene begins. */
  async stage(scene: Scene): Promise<Stage> {
    const { host, server } = this;
    const folder = join(this.folder, `run-${String(++this.runs)}`);
    mkdirSync(folder);
    const { session } = await host.request('session/create', {
      folder,
      agent: { kind: 'model', model: scene.model ?? 'local/m1' },
      mode: scene.mode,
    });
    server.reply(answers(scene, { folder }));
    const { id } = session;
    const before = this.standIn.calls.length;
    const stage: Stage = {
      host,
      server,
      session: id,
      folder,
      say: (text) => host.request('message/send', { session: id, text: `${id} ${text}` }),
      served: () => this.standIn.calls.length - before,
      asked: (session) => this.editorAsked.filter((text) => text.includes(`"${session} `)).length,
    };
    await scene.prepare?.(stage);
    return stage;
  }

  /** Resolves when nothing of the scene is at work, and a turn has read of the end of each handle. */
  over({ session }: Stage): Promise<true> {
    const { host } = this;
    return host.until(() => {
      const own = host.events.filter((event) => event.session === session);
      const told = own.flatMap((event) => (event.type === 'note_told' ? [event.data.handle] : []));
      // The end of a program on a terminal is told by the call that has read it.
      const isTold = host.snapshot?.handles.every(
        ({ id, kind, state, session: of }) =>
          of !== session || (kind === 'terminal' ? state === 'ended' : told.includes(id)),
      );
      const types = own.map(({ type }) => type);
      const isOver = types.lastIndexOf('turn_ended') > types.lastIndexOf('note_told');
      const isIdle = host.snapshot?.sessions.find(({ id }) => id === session)?.state === 'idle';
      return isIdle && isTold === true && isOver ? true : undefined;
    });
  }

  async close(): Promise<void> {
    await this.host.stop();
    this.barriers.close();
    await this.server.stop();
    await this.standIn.stop();
    rmSync(this.folder, { recursive: true, force: true });
    assert.deepEqual(this.server.violations, []);
  }
}

const settingsFor = (server: ModelServer) => ({
  approvals: { holdMs: 0 },
  limits: { steerGraceMs: 1 },
  models: {
    default: 'local/m1',
    providers: {
      local: {
        kind: 'openai-compatible',
        baseUrl: server.url,
        models: [{ id: 'm1', contextWindow: 200_000 }],
      },
      anthropic: { kind: 'anthropic', baseUrl: server.root, apiKeyEnv: 'PATH' },
      openai: { kind: 'openai', baseUrl: server.url, apiKeyEnv: 'PATH' },
    },
  },
});
