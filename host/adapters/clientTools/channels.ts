/** The ways for client tools into an agent that has none of its own for them (C3). Each ends with `close`. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SHIM_ENV, type Image } from '../../../protocol';
import {
  makeFolder,
  makePrivateFolder,
  publishFile,
  removeFolder,
  sweepPrivateFolders,
} from '../../base/channels';
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { AgentChannelPort, PictureFiles, StdioChannel } from '../../engine/channelPort';
import type { AgentTools } from '../../engine/ports';
import { serveRelay } from './relay';
import { shimEnv, TOOLS_FILE, toolsJson } from './shimFiles';
import { serveSocket } from './socketChannel';

export interface ChannelsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Absolute path of `dist/shim.js`. */
  readonly shim: string;
  /** A Node binary that an agent can start. */
  readonly node: string;
  readonly platform: string;
  /** Tells its folders from those of hosts with another store. */
  readonly storeDir: string;
}

export interface Channels extends AgentChannelPort {
  /**
   * Begins to remove the folders that hosts with this store have left behind when they were killed. For the store's
   * writer, which no other such host is beside.
   */
  sweep(): void;
}

const NONCE_BYTES = 32;
const secret = (): string => randomBytes(NONCE_BYTES).toString('base64url');

/** Short, for a socket's path holds 103 bytes on macOS. */
const STORE_CHARACTERS = 12;
const START_BYTES = 3;

export function createChannels(options: ChannelsOptions): Channels {
  const key = createHash('sha256').update(options.storeDir).digest('hex').slice(0, STORE_CHARACTERS);
  const ofStore = `belay-tools-${key}-`;
  const own = `${ofStore}${randomBytes(START_BYTES).toString('hex')}-`;
  return {
    // The SDK is loaded with the first agent that needs it.
    http: async (tools, launch) => (await import('./mcpServer')).serveMcp(tools, launch, options.log),
    shim: (tools, launch) => socketShim(options, own, tools, launch),
    pictures: (images, launch) => pictureFiles(own, images, launch),
    sweep: () =>
      void sweepPrivateFolders(ofStore, own).catch((error: unknown) =>
        options.log('warn', `What is left of earlier hosts stays until the next start: ${String(error)}`),
      ),
    relay: async (tools, place, launch) => {
      const seenAs = place.seenAs ?? place.dir;
      makeFolder(launch, place.dir);
      const nonce = secret();
      const relay = await serveRelay({
        tools,
        dir: place.dir,
        nonce,
        launch,
        clock: options.clock,
        log: options.log,
        unique: () => randomBytes(9).toString('hex'),
      });
      await writeTools(tools, place.dir, launch);
      return {
        command: place.node,
        args: [place.shim],
        env: shimEnv({ tools: join(seenAs, TOOLS_FILE), dir: seenAs, nonce, turn: tools.turn }),
        hidden: [SHIM_ENV.nonce],
        close: () => relay.close(),
      };
    },
  };
}

async function pictureFiles(prefix: string, images: readonly Image[], launch: Launch): Promise<PictureFiles> {
  const folder = await makePrivateFolder(launch, prefix);
  const close = () => removeFolder(folder);
  try {
    const paths = await Promise.all(
      images.map(async ({ mediaType, data }, at) => {
        const name = `${String(at + 1)}.${mediaType.split('/')[1] ?? 'png'}`;
        await publishFile(launch, folder, name, `${name}.new`, Buffer.from(data, 'base64'));
        return join(folder, name);
      }),
    );
    return { paths, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function socketShim(
  options: ChannelsOptions,
  prefix: string,
  tools: AgentTools,
  launch: Launch,
): Promise<StdioChannel> {
  const folder = await makePrivateFolder(launch, prefix);
  const nonce = secret();
  const path =
    options.platform === 'win32'
      ? `\\\\.\\pipe\\belay-${randomBytes(9).toString('hex')}`
      : join(folder, 'socket');
  try {
    await writeTools(tools, folder, launch);
    const listener = await serveSocket(tools, path, nonce, launch);
    return {
      command: options.node,
      args: [options.shim],
      env: shimEnv({ tools: join(folder, TOOLS_FILE), socket: path, nonce, turn: tools.turn }),
      hidden: [SHIM_ENV.nonce],
      close: async () => {
        await listener.close();
        await removeFolder(folder);
      },
    };
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

const writeTools = (tools: AgentTools, folder: string, launch: Launch): Promise<void> =>
  publishFile(launch, folder, TOOLS_FILE, `${TOOLS_FILE}.new`, toolsJson(tools));
