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
import type { Scene, Stage } from './scene';
import { answers, watchedRipgrep } from './scenes';
import { serverAtRest } from './servers';
import { Troupe } from './troupe';

export class Theatre {
  private runs = 0;

  private constructor(
    readonly host: HostClient,
    readonly barriers: Barriers,
    private readonly server: ModelServer,
    private readonly folder: string,
    /** What the client was asked, as JSON with its method. */
    private readonly clientAsked: readonly string[],
    private readonly standIn: StandIn,
    private readonly troupe: Troupe | undefined,
    /** The settings with this MCP server in them; another number is another configuration. */
    private readonly settings: (generation: number) => object,
  ) {}

  static async open(bundle: string, { reaches, agent, settings: own }: Scene): Promise<Theatre> {
    const folder = mkdtempSync(join(tmpdir(), 'belay-cord-'));
    const server = await startModelServer();
    const barriers = new Barriers({ ripgrep: watchedRipgrep(folder, rgPath) });
    const asked: string[] = [];
    const standIn = new StandIn();
    const troupe = agent === undefined ? undefined : await Troupe.open();
    const url = reaches === 'http' ? await standIn.serve() : undefined;
    const settings = (generation: number) => ({
      ...settingsFor(server),
      ...own,
      ...(troupe === undefined ? {} : { harnesses: troupe.settings() }),
      ...(reaches === undefined ? {} : { mcp: { servers: { stand: standFor(standIn, url, generation) } } }),
    });
    const host = await HostClient.start({
      bundle: { path: bundle, worker: barriers.worker },
      settings: settings(0),
      storeDir: join(folder, '.store'),
      workspace: folder,
      serve: (method, params) => {
        asked.push(`${method} ${JSON.stringify(params)}`);
        return ANSWERS[method] ?? {};
      },
    });
    return new Theatre(host, barriers, server, folder, asked, standIn, troupe, settings);
  }

  /** A fresh session in a fresh folder, brought to where the scene begins. */
  async stage(scene: Scene): Promise<Stage> {
    const { host, server } = this;
    const folder = join(this.folder, `run-${String(++this.runs)}`);
    mkdirSync(folder);
    const { session } = await host.request('session/create', {
      folder,
      agent:
        scene.agent === undefined
          ? { kind: 'model', model: scene.model ?? 'local/m1' }
          : { kind: 'harness', harness: scene.agent },
      mode: scene.mode,
    });
    server.reply(answers(scene, { folder }));
    const { id } = session;
    const before = this.standIn.lines.length;
    const stage: Stage = {
      host,
      server,
      session: id,
      folder,
      say: (text) => host.request('message/send', { session: id, text: `${id} ${text}` }),
      arrived: (line) => this.standIn.lines.slice(before).filter((one) => one.startsWith(line)).length,
      renew: async () => {
        await host.request('settings/update', { settings: this.settings(this.runs) });
        await serverAtRest(host);
      },
      asked: (method, session) =>
        this.clientAsked.filter((text) => text.startsWith(`${method} `) && isOf(session, text)).length,
      heard: (what) => (this.troupe?.of(folder) ?? []).filter((one) => one === what).length,
    };
    await scene.prepare?.(stage);
    return stage;
  }

  /** Resolves when nothing of the scene is at work, and a turn has read of the end of each handle. */
  over(scene: Scene, stage: Stage): Promise<unknown> {
    if (scene.over !== undefined) return scene.over(stage);
    const { host } = this;
    const { session } = stage;
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

  /** Agents stay although they are told to end, until they are let go. */
  keepAgents(): void {
    this.troupe?.keep();
  }

  letGoAgents(): void {
    this.troupe?.letGo();
  }

  async close(): Promise<void> {
    await this.host.stop();
    this.barriers.close();
    await this.server.stop();
    await this.standIn.stop();
    await this.troupe?.close();
    rmSync(this.folder, { recursive: true, force: true });
    assert.deepEqual(this.server.violations, []);
  }
}

/** It is named in full, or begins what was said. */
const isOf = (session: string, text: string): boolean =>
  text.includes(`"${session}"`) || text.includes(`"${session} `);

/** What the client answers. */
const ANSWERS: Readonly<Record<string, object>> = {
  'model/request': { stop: 'end' },
  'clientTool/run': { text: 'A thin rope.' },
};

/** The stand-in as it stands in `mcp.servers`. */
function standFor(standIn: StandIn, url: string | undefined, generation: number): object {
  const mark = String(generation);
  return url === undefined
    ? standIn.config('', { GENERATION: mark })
    : { type: 'http', url, headers: { generation: mark } };
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
