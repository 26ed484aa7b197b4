/** The only place that builds and wires: everything of a host, made in order, ended in reverse. */
import { join } from 'node:path';
import { say, type Initialize, type ModelInfo, type Settings } from '../../protocol';
import { createFiles, textNow } from '../adapters/changes/files';
import { createChannels } from '../adapters/clientTools/channels';
import { createCommandReader } from '../adapters/commands/reader';
import { createClientTools, type AskClient, type ClientTools } from '../adapters/clientTools/registry';
import { createHarnesses } from '../adapters/harnesses/harnesses';
import { createModels } from '../adapters/models/models';
import { cleanDiff } from '../adapters/tools/diffPreview';
import { projectFiles } from '../adapters/tools/projectInstructions';
import { createScripts } from '../adapters/scripts/scripts';
import { createTools } from '../adapters/tools/toolPort';
import { openLink } from '../adapters/windows/link';
import { createWindows } from '../adapters/windows/windows';
import { handle, type Client, type Started } from '../api/serve';
import type { Host } from '../api/host';
import { createAudience } from '../api/audience';
import { createExports } from '../api/exports';
import type { Hub } from '../api/hub';
import { createTerminalViews } from '../api/terminalViews';
import { soon, type Clock } from '../base/clock';
import { chance } from '../base/ids';
import { removeEmptyFolder } from '../base/effects';
import type { DisposableStack } from '../base/lifecycle';
import type { Log } from '../base/log';
import { redact } from '../base/redact';
import { createWeb } from '../base/web/web';
import type { BootOptions } from '../boot';
import { openEngine, type Engine, type EngineOptions } from '../engine/engine';
import { RequestError } from '../engine/errors';
import type { ToolPort } from '../engine/ports';
import { pullMarker } from '../store/pullMarker';
import { editorModels } from './editorModels';
import { looks } from './looks';
import { memberTools, tellTools } from './memberTools';
import { onlyReads, openMemory, type Memory } from './memory';
import { composeServers } from './servers';
import { createAskedSecrets, createSecretKeeper, createServerSecrets } from './secrets';
import { composePrograms } from './programs';
import { engineSettings, parseSettings, stallMs } from './settings';
import { picturesInOrder, withFiles } from './files';
import { joinTools } from './tools';
import { createCompany, type Company, type Member } from './company';
import { createUnsaved } from './unsaved';
import { openUserRules } from './userRules';
import { createWindowKey } from './windowKey';
import { pulledBy, relay, welcome } from './windows';

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
  offered: readonly ModelInfo[];
  trouble: string | undefined;
}

export async function composeHost(
  options: ComposeOptions,
  params: Initialize,
  client: Client,
  owned: DisposableStack,
): Promise<Started> {
  const { boot, clock, env, platform } = options;
  const { storeDir } = params;
  const parsed = parseSettings(params.settings);
  const now: Circumstances = { settings: parsed.settings, offered: [], trouble: undefined };
  const keeper = createSecretKeeper(env, () => now.settings);
  const secrets = () => keeper.secrets();
  const log: Log = (level, text) => options.log(level, redact(text, secrets()));
  const kept = async (secret: string) =>
    keeper.keep((await client.request('secret/get', { name: secret })).value);
  const asked = createAskedSecrets(client, keeper, clock, log);
  const company: Company = createCompany({ trusted: params.trusted, folders: params.folders });
  const name = params.folders.map((folder) => folder.name).join(', ');
  const holder: { memory: Memory | undefined } = { memory: undefined };
  /** The person has pressed Pause, and what comes after a link that has broken does not stand yet. */
  let pausing = false;
  /** Windows that have joined so far. */
  let guests = 0;
  const engineOf = () => holder.memory?.engine;
  const audience = owned.add(createAudience(clock));
  const hub = audience.add((event) => client.event(event));
  const unsaved = createUnsaved(company, (paths) => {
    // In a window that has joined, the host that it joined knows those of all.
    if (holder.memory?.link === undefined) audience.show('unsaved_changed', { paths: [...paths] }, {});
  });
  await unsaved.told(company.own, params.unsaved ?? []);
  const files = createFiles(unsaved);
  const windows = createWindows({
    key: createWindowKey(kept, clock, log),
    storeDir,
    runtimeDir: env['XDG_RUNTIME_DIR'],
    platform,
    clock,
    log,
  });

  const epoch = () => engineOf()?.cord.epoch ?? 0;
  const { processes, terminals } = await composePrograms(
    {
      clock,
      log,
      env,
      platform,
      assets: boot.assets,
      secrets,
      settings: () => now.settings,
      epoch,
    },
    owned,
  );
  const askClient: AskClient = (request, signal) => client.request('clientTool/run', request, signal);
  const clientTools: ClientTools = createClientTools({
    clock,
    secrets,
    graceMs: () => engineSettings(now.settings).clientGraceMs,
    looks,
    reserved: (name) =>
      tools.specs().some((spec) => spec.name === name) &&
      !clientTools.specs().some((spec) => spec.name === name),
  });
  const web = owned.add(createWeb({ settings: () => now.settings.http, env, clock, log }));
  const mcp = composeServers(
    {
      clock,
      log,
      env,
      hostVersion: boot.hostVersion,
      settings: () => now.settings,
      folders: () => company.folders(),
      trusted: () => company.trusted(),
      refusal: looks.refusal,
      secrets,
      secret: createServerSecrets(client, keeper, log),
      start: (request, launch) => processes.service(request, launch),
      web,
    },
    () => holder.memory,
  );
  const servers = owned.add(mcp.servers);
  const scripts = owned.add(createScripts({ assets: boot.assets, clock, secrets }));
  const reader = createCommandReader({ assets: boot.assets, clock, log });
  const ownTools = createTools({
    readCommand: reader.read,
    scripts,
    readStored: (session) => holder.memory?.ledger.look((tables) => tables.storedValues(session)) ?? {},
    processes,
    terminals,
    ripgrep: boot.ripgrep,
    unsaved,
    secrets,
    answered: clientTools,
    readKept: (session, reference, offset, limit) =>
      holder.memory?.ledger.look((tables) => tables.keptPage(session, reference, offset, limit)),
  });
  const tools: ToolPort = withFiles(joinTools(ownTools, servers), () => holder.memory?.ledger);
  const pictures = picturesInOrder(() => holder.memory?.ledger);
  const models = createModels({
    settings: () => now.settings.models,
    secret: kept,
    env,
    editor: editorModels(client, () => now.offered, epoch),
    clock,
    stallMs: () => stallMs(now.settings),
    web,
    log,
    secrets,
  });
  owned.add(models);
  const diff = cleanDiff((text) => redact(text, secrets()));
  const shim = join(boot.assets, 'shim.js');
  const channels = createChannels({ clock, log, shim, node: process.execPath, platform, storeDir });
  const harnesses = createHarnesses({
    clock,
    log,
    env,
    platform,
    arch: options.arch,
    settings: () => now.settings.harnesses ?? {},
    talk: (request, launch, reader) => processes.talk(request, launch, reader),
    ...looks,
    content: textNow,
    read: (command) => reader.read(command, platform === 'win32' ? '' : 'sh'),
    diff: (...sides) => diff(...sides).preview,
    removeEmpty: removeEmptyFolder,
    secrets,
    channels,
  });
  owned.add(harnesses);
  const hidden = [storeDir, params.rulesDir ?? storeDir];
  const commands = { read: (command: string) => reader.read(command, processes.shell) };
  const ownRules = owned.add(await openUserRules({ dir: params.rulesDir, commands, log, engine: engineOf }));
  const pullAsked = pullMarker(storeDir);
  const show: EngineOptions['show'] = (type, data, where) => audience.show(type, data, where);
  const memory = await openMemory({
    dir: storeDir,
    assets: boot.assets,
    clock,
    log,
    publish: (events) => audience.publish(events),
    heard: () => hub.seq,
    closing: () => windows.close(),
    lost: () => servers.drop(),
    join: async () => {
      const channel = await windows.toOwner();
      const { trusted, folders, unsaved: mine = [] } = company.own;
      const introduced = { ...params, trusted, folders: [...folders], unsaved: [...mine] };
      if (channel === undefined) return undefined;
      const linked = { ...client, run: askClient };
      const link = await openLink(channel, { params: introduced, client: linked, heard: hub.seq, log });
      await tellTools(link, clientTools, log);
      return link;
    },
    left: (seq) => {
      if (seq !== undefined) hub.subscribe(seq);
    },
    changed: (trouble, readOnly) => {
      now.trouble = trouble;
      const heard = holder.memory?.link?.seq;
      if (heard !== undefined) hub.subscribe(heard);
      show('store_changed', { readOnly, ...(trouble === undefined ? {} : { trouble }) }, {});
      unsaved.showAll();
    },
    engine: (ledger) => {
      const engine = openEngine({
        ledger,
        tools,
        commands,
        userRules: ownRules,
        models,
        clientTools,
        files,
        project: projectFiles(() => now.settings.projectInstructions !== false, secrets),
        harnesses,
        clock,
        log,
        settings: () => engineSettings(now.settings),
        trusted: () => company.trusted(),
        roots: () => company.folders(),
        hidden,
        started: () => mcp.servers.startedFiles(),
        show,
        platform,
        random: chance,
      });
      for (const one of [mcp, models, harnesses]) one.follow(engine);
      return engine;
    },
    begin: async (engine) => {
      channels.sweep();
      // Whoever pauses from now on reaches this window; who has paused before says so.
      await windows.open((channel) => welcome(channel, { engine, log, name, admit }));
      const others = await windows.ask('window/status', {});
      await asked.learn(engine.askedSecrets());
      const elsewhere = pausing || others.some(({ paused }) => paused);
      await engine.begin(pulledBy(elsewhere, pullAsked));
      pullAsked.remove();
      servers.look();
    },
  });
  holder.memory = memory;
  owned.add({ dispose: () => memory.stop(0) });
  await memory.begin();
  const writing = (): Engine => {
    if (memory.engine === undefined) throw onlyReads();
    return memory.engine;
  };

  const hostFor = (own: Hub, to: Client, member: Member): Host => ({
    storeDir,
    pullAsked,
    get store() {
      return memory.store;
    },
    look: async (query) => {
      await memory.store.settled();
      return memory.ledger.look(query);
    },
    sweepFiles: () => memory.store.settled().then(() => memory.ledger.look((now) => now.sweepFiles())),
    pictures,
    engine: writing,
    get readOnly() {
      return memory.engine === undefined;
    },
    models,
    harnesses,
    tools,
    servers,
    files,
    asked,
    windows,
    hub: own,
    clientTools: memberTools(clientTools, to, member === company.own ? undefined : ++guests),
    exports: createExports(clock),
    views: createTerminalViews((showing) => to.show(showing), soon),
    trusted: () => company.trusted(),
    roots: () => company.folders(),
    trouble: () => now.trouble,
    hidden,
    userRules: () => ownRules.all(),
    offer: (offered) => void (now.offered = offered),
    settings: () => now.settings,
    unsaved: { paths: () => unsaved.paths(), told: (paths) => unsaved.told(member, paths) },
    update: async (change) => {
      const told: string[] = [];
      if (change.settings !== undefined && member === company.own) {
        const next = parseSettings(change.settings);
        now.settings = next.settings;
        told.push(...next.warnings);
      }
      await reconsider(() => company.change(member, change));
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
  /** After trust, folders or settings have changed. */
  const reconsider = async (change: () => void): Promise<void> => {
    const before = company.trusted();
    change();
    if (memory.engine === undefined) return;
    servers.look();
    await memory.engine.reconsider(company.trusted() && !before);
  };
  const host = hostFor(hub, client, company.own);
  const call = async (method: string, given: unknown): Promise<unknown> => {
    await memory.settled();
    if (memory.failed !== undefined) throw new RequestError('store_io', memory.failed);
    const { link } = memory;
    if (link === undefined) return handle(method, given, host);
    return relay(link, method, given, {
      own: host,
      clock,
      again: async (pause) => {
        pausing ||= pause;
        await memory.after(link);
        return call(method, given).finally(() => (pausing = false));
      },
    });
  };
  return {
    call,
    shown: (shown) => {
      if (memory.link === undefined) host.views.shown(shown);
      else memory.link.shown(shown);
    },
    result: memory.link?.initialized ?? state([...parsed.warnings, ...ownRules.warnings, ...memory.warnings]),
    stop: async (graceMs) => {
      await memory.stop(graceMs);
      await owned.dispose();
    },
  };

  /** Another window of this workspace, as a client of this host. */
  async function admit(
    { trusted, folders, unsaved: theirFiles }: Initialize,
    other: Client,
  ): Promise<Started> {
    if (holder.memory === undefined) throw new RequestError('host_stopping', say('This window is starting.'));
    await memory.settled();
    await memory.store.settled();
    const theirs = audience.add((event) => other.event(event));
    const member: Member = { trusted, folders };
    const shared = hostFor(theirs, other, member);
    let leave = (): void => {};
    const stop = (): Promise<void> => {
      audience.remove(theirs);
      shared.views.close();
      shared.clientTools.leave();
      return reconsider(leave).finally(() => unsaved.show());
    };
    // One that is not let in does not count: neither its folders nor that it trusts nobody.
    await reconsider(() => (leave = company.add(member))).catch(async (error: unknown) => {
      await stop().catch(() => undefined);
      throw error;
    });
    await unsaved.told(member, theirFiles ?? []);
    return {
      call: (method, given) => handle(method, given, shared),
      shown: (shown) => shared.views.shown(shown),
      result: state([]),
      stop,
    };
  }
}
