/** The only place that builds and wires: everything of a host, made in order, ended in reverse. */
import { join } from 'node:path';
import {
  EDITOR_PROVIDER,
  type Initialize,
  type ModelInfo,
  type ModelPart,
  type Settings,
} from '../../protocol';
import { files } from '../adapters/changes/files';
import { createChannels } from '../adapters/clientTools/channels';
import { createClientTools, type AskClient, type ClientTools } from '../adapters/clientTools/registry';
import { createHarnesses } from '../adapters/harnesses/harnesses';
import { createModels } from '../adapters/models/models';
import { hostMark } from '../adapters/processes/hostMark';
import { createProcesses, type Processes } from '../adapters/processes/processes';
import { createTerminals } from '../adapters/terminals/terminals';
import { cleanDiff } from '../adapters/tools/diffPreview';
import { classOf, locate } from '../adapters/tools/paths';
import { createScripts } from '../adapters/scripts/scripts';
import { createTools } from '../adapters/tools/toolPort';
import { openLink } from '../adapters/windows/link';
import { createWindows } from '../adapters/windows/windows';
import { handle, type Client, type Started } from '../api/serve';
import type { Host } from '../api/host';
import { createAudience } from '../api/audience';
import type { Hub } from '../api/hub';
import { createTerminalViews } from '../api/terminalViews';
import { soon, type Clock } from '../base/clock';
import { chance, newHostId } from '../base/ids';
import { removeEmptyFolder } from '../base/effects';
import { DisposableStack } from '../base/lifecycle';
import type { Log } from '../base/log';
import { redact } from '../base/redact';
import type { BootOptions } from '../boot';
import { describe } from '../engine/driver/core';
import { openEngine, type Engine, type EngineOptions } from '../engine/engine';
import { RequestError } from '../engine/errors';
import type { ToolPort } from '../engine/ports';
import { openMemory, type Memory } from './memory';
import { composeServers } from './servers';
import { createSecretKeeper } from './secrets';
import { engineSettings, parseSettings, shellMs, stallMs } from './settings';
import { joinTools } from './tools';
import { relay, welcome } from './windows';

export interface ComposeOptions {
  readonly boot: BootOptions;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

interface Circumstances {
  settings: Settings;
  trusted: boolean;
  folders: readonly string[];
  offered: readonly ModelInfo[];
  trouble: string | undefined;
  requests: number;
}

export async function composeHost(
  options: ComposeOptions,
  params: Initialize,
  client: Client,
): Promise<Started> {
  const { boot, clock, log, env } = options;
  const owned = new DisposableStack();
  const parsed = parseSettings(params.settings);
  const now: Circumstances = {
    settings: parsed.settings,
    trusted: params.trusted,
    folders: params.folders.map((folder) => folder.path),
    offered: [],
    trouble: undefined,
    requests: 0,
  };

  const name = params.folders.map((folder) => folder.name).join(', ');
  const holder: { memory: Memory | undefined } = { memory: undefined };
  const engineOf = () => holder.memory?.engine;
  const audience = createAudience(clock);
  owned.add(audience);
  const hub = audience.add((event) => client.event(event));
  const windows = createWindows({
    storeDir: params.storeDir,
    runtimeDir: env['XDG_RUNTIME_DIR'],
    platform: options.platform,
    clock,
    log,
  });

  const keeper = createSecretKeeper(env, () => now.settings);
  const mark = await hostMark(newHostId());
  const processes = createProcesses({
    clock,
    log,
    mark,
    secrets: () => keeper.secrets(),
    defaultMs: shellMs(now.settings),
  });
  owned.add(processes);
  const terminals = createTerminals({
    clock,
    log,
    bundle: join(boot.assets, 'ptyHost.js'),
    trees: processes,
    secrets: () => keeper.secrets(),
    epoch: () => engineOf()?.cord.epoch ?? 0,
    ownShell: () => (now.settings.terminals?.ownShell === true ? env['SHELL'] : undefined),
  });
  owned.add(terminals);
  sweepOnce(processes, log);
  const askClient: AskClient = (request, signal) => client.request('clientTool/run', request, signal);
  const clientTools: ClientTools = createClientTools({
    clock,
    graceMs: () => engineSettings(now.settings).clientGraceMs,
    reserved: (name) =>
      tools.specs().some((spec) => spec.name === name) &&
      !clientTools.specs().some((spec) => spec.name === name),
  });
  const mcp = composeServers(
    {
      clock,
      log,
      env,
      hostVersion: boot.hostVersion,
      settings: () => now.settings,
      folders: () => now.folders,
      trusted: () => now.trusted,
      secrets: () => keeper.secrets(),
      start: (request, launch) => processes.service(request, launch),
      fetch,
    },
    () => holder.memory,
  );
  const { servers } = mcp;
  owned.add(servers);
  const scripts = createScripts({ assets: boot.assets, clock, secrets: () => keeper.secrets() });
  owned.add(scripts);
  const ownTools = createTools({
    scripts,
    readStored: (session) => holder.memory?.ledger.look((tables) => tables.storedValues(session)) ?? {},
    processes,
    terminals,
    ripgrep: boot.ripgrep,
    secrets: () => keeper.secrets(),
    answered: clientTools,
    readKept: (session, reference, offset, limit) =>
      holder.memory?.ledger.look((tables) => tables.keptPage(session, reference, offset, limit)),
  });
  const tools: ToolPort = joinTools(ownTools, servers);
  const models = createModels({
    settings: () => now.settings.models,
    secret: async (name) => keeper.keep((await client.request('secret/get', { name })).value),
    env,
    editor: editorModels(client, now, () => engineOf()?.cord.epoch ?? 0),
    clock,
    stallMs: () => stallMs(now.settings),
    log,
  });
  const harnesses = createHarnesses({
    clock,
    log,
    env,
    platform: options.platform,
    arch: options.arch,
    settings: () => now.settings.harnesses ?? {},
    talk: (request, launch, reader) => processes.talk(request, launch, reader),
    locate: async (place, path, purpose) => {
      const at = await locate(place, path, purpose);
      return { real: at.real, shown: at.shown, class: classOf(purpose, at) };
    },
    diff: cleanDiff((text) => redact(text, keeper.secrets())),
    removeEmpty: removeEmptyFolder,
    secrets: () => keeper.secrets(),
    channels: createChannels({
      clock,
      log,
      shim: join(boot.assets, 'shim.js'),
      node: process.execPath,
      platform: options.platform,
    }),
  });
  const hidden = [params.storeDir];
  const show: EngineOptions['show'] = (type, data, where) => audience.show(type, data, where);
  const memory = await openMemory({
    dir: params.storeDir,
    assets: boot.assets,
    clock,
    log,
    publish: (events) => audience.publish(events),
    closing: () => windows.close(),
    join: async () => {
      const socket = await windows.toOwner();
      return socket && openLink(socket, params, client, log);
    },
    left: (seq) => {
      if (seq !== undefined) hub.subscribe(seq);
    },
    changed: (trouble, readOnly) => {
      now.trouble = trouble;
      show('store_changed', { readOnly, ...(trouble === undefined ? {} : { trouble }) }, {});
    },
    engine: async (ledger) => {
      const engine = await openEngine({
        ledger,
        pulledElsewhere: (await windows.ask('window/status', {})).some(({ paused }) => paused),
        tools,
        models,
        clientTools,
        files,
        harnesses,
        clock,
        log,
        settings: () => engineSettings(now.settings),
        trusted: () => now.trusted,
        roots: () => now.folders,
        hidden,
        show,
        platform: options.platform,
        random: chance,
      });
      mcp.follow(engine);
      await windows.open((socket) => welcome(socket, { engine, log, name, admit }));
      return engine;
    },
  });
  holder.memory = memory;
  if (memory.engine !== undefined) servers.look();
  const writing = (): Engine => {
    if (memory.engine === undefined)
      throw new RequestError(
        'store_read_only',
        'Another window works in this workspace, so this one only reads. Work there, or close it.',
      );
    return memory.engine;
  };

  const hostFor = (own: Hub, to: Client): Host => ({
    storeDir: params.storeDir,
    get store() {
      return memory.store;
    },
    look: async (query) => {
      await memory.store.settled();
      return memory.ledger.look(query);
    },
    sweepFiles: async () => {
      await memory.store.settled();
      return memory.ledger.look((tables) => tables.sweepFiles());
    },
    engine: writing,
    get readOnly() {
      return memory.engine === undefined;
    },
    models,
    harnesses,
    tools,
    servers,
    files,
    windows,
    hub: own,
    clientTools: {
      list: () => clientTools.list(),
      register: (name, specs) => clientTools.register(name, specs, askClient),
      unregister: (name, names) => clientTools.unregister(name, names),
    },
    views: createTerminalViews((showing) => to.show(showing), soon),
    trusted: () => now.trusted,
    roots: () => now.folders,
    trouble: () => now.trouble,
    hidden,
    offer: (offered) => {
      now.offered = offered;
    },
    settings: () => now.settings,
    update: async (change) => {
      const told: string[] = [];
      if (change.settings !== undefined) {
        const next = parseSettings(change.settings);
        now.settings = next.settings;
        told.push(...next.warnings);
      }
      const regained = change.trusted === true && !now.trusted;
      if (change.trusted !== undefined) now.trusted = change.trusted;
      if (change.folders !== undefined) now.folders = change.folders.map((folder) => folder.path);
      if (memory.engine !== undefined) servers.look();
      await memory.engine?.reconsider(regained);
      return { warnings: told };
    },
  });
  const state = (warnings: readonly string[]): Started['result'] => ({
    protocolVersion: params.protocolVersion,
    hostVersion: boot.hostVersion,
    seq: memory.ledger.look((tables) => tables.lastSeq()),
    paused: memory.ledger.look((tables) => tables.cord().pulled),
    readOnly: memory.engine === undefined,
    warnings: [...warnings],
  });
  const host = hostFor(hub, client);
  return {
    call: async (method, given) => {
      await memory.settled();
      const { link } = memory;
      if (link === undefined) return handle(method, given, host);
      return relay(link, method, given, host);
    },
    shown: (shown) => {
      if (memory.link === undefined) host.views.shown(shown);
      else memory.link.shown(shown);
    },
    result: memory.link?.initialized ?? state([...parsed.warnings, ...memory.warnings]),
    stop: async (graceMs) => {
      await memory.stop(graceMs);
      await owned.dispose();
    },
  };

  /** Another window of this workspace, as a client of this host. */
  async function admit(_introduced: Initialize, other: Client): Promise<Started> {
    await memory.store.settled();
    const theirs = audience.add((event) => other.event(event));
    const shared = hostFor(theirs, other);
    return {
      call: (method, given) => handle(method, given, shared),
      shown: (shown) => shared.views.shown(shown),
      result: state([]),
      stop: () => {
        audience.remove(theirs);
        shared.views.close();
        return Promise.resolve();
      },
    };
  }
}

/** Ends what an earlier host left running, beside everything else: nothing waits for it (X6). */
function sweepOnce(processes: Processes, log: Log): void {
  processes.sweep().then(
    ({ ended, survivors }) => {
      if (ended.length > 0)
        log('info', `Ended ${String(ended.length)} processes that an earlier host had left.`);
      if (survivors.length > 0)
        log('warn', `These processes of an earlier host survive: ${survivors.join(', ')}.`);
    },
    (error: unknown) => log('warn', `The sweep failed: ${describe(error)}`),
  );
}

/** The editor's own models: the client makes the request, its parts come back as notifications. */
function editorModels(client: Client, now: Circumstances, epoch: () => number) {
  const listeners = new Map<string, (part: ModelPart['part']) => void>();
  client.onPart(({ request, part }) => listeners.get(request)?.(part));
  return {
    offered: () => now.offered,
    request: async (
      request: Parameters<Parameters<typeof createModels>[0]['editor']['request']>[0],
      onPart: (part: ModelPart['part']) => void,
      signal: AbortSignal,
    ) => {
      const id = `${EDITOR_PROVIDER}-${String(++now.requests)}`;
      listeners.set(id, onPart);
      try {
        return await client.request('model/request', { ...request, request: id, epoch: epoch() }, signal);
      } finally {
        listeners.delete(id);
      }
    },
  };
}
