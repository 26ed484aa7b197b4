/** The ways for client tools into an agent that has none of its own for them (C3). Each ends with `close`. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SHIM_ENV, type Image } from '../../../protocol';
import { makeFolder, makePrivateFolder, publishFile, removeFolder } from '../../base/channels';
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
}

const NONCE_BYTES = 32;
const secret = (): string => randomBytes(NONCE_BYTES).toString('base64url');

export function createChannels(options: ChannelsOptions): AgentChannelPort {
  return {
    // The SDK is loaded with the first agent that needs it.
    http: async (tools, launch) => (await import('./mcpServer')).serveMcp(tools, launch, options.log),
    shim: (tools, launch) => socketShim(options, tools, launch),
    pictures: pictureFiles,
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

async function pictureFiles(images: readonly Image[], launch: Launch): Promise<PictureFiles> {
  const folder = await makePrivateFolder(launch);
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
  tools: AgentTools,
  launch: Launch,
): Promise<StdioChannel> {
  const folder = await makePrivateFolder(launch);
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
