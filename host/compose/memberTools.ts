/** The client tools of one window among those that work through a host: of its own editor, or of one that joined (C1, D4). */
import type { AskClient, ClientTools } from '../adapters/clientTools/registry';
import type { Link } from '../adapters/windows/link';
import type { Host } from '../api/host';
import type { Client } from '../api/serve';
import type { Log } from '../base/log';
import { describe } from '../engine/driver/core';

/** Characters of a client's own name; the number of its window stands behind it. */
const NAME_CHARACTERS = 120;

/** `guest` is the number of a window that joined: every window's editor goes by the same name. */
export function memberTools(
  clientTools: ClientTools,
  to: Pick<Client, 'request'>,
  guest: number | undefined,
): Host['clientTools'] {
  const names = new Set<string>();
  const nameOf = (client: string): string =>
    guest === undefined ? client : `${client.slice(0, NAME_CHARACTERS)}#${String(guest)}`;
  return {
    list: () => clientTools.list(),
    register: (client, specs) => {
      const name = nameOf(client);
      names.add(name);
      const askClient: AskClient = (request, signal) =>
        to.request('clientTool/run', { ...request, client }, signal);
      return clientTools.register(name, specs, askClient, guest !== undefined);
    },
    unregister: (client, tools) => clientTools.unregister(nameOf(client), tools),
    leave: () => {
      for (const name of names) clientTools.unregister(name, undefined);
    },
  };
}

/** Tells the host that was joined what this window's editor can do. */
export async function tellTools(link: Link, clientTools: ClientTools, log: Log): Promise<void> {
  for (const { client, tools } of clientTools.registered())
    await link
      .request('clientTool/register', { client, tools })
      .catch((error: unknown) => log('warn', `Tools of this window are not offered: ${describe(error)}`));
}
