/** The values that a server's configuration asks for (`${input:…}`). They go to the secret storage, and nowhere else. */
import * as vscode from 'vscode';
import type { Server, ServerInput } from '../../protocol';
import type { Belay } from '../belay';
import type { By } from '../ids';
import { noticeLine, pickTexts } from '../views/line';
import { chooseServer, whoOf } from './servers';

/** Enter values…: what is missing; or all of them, to give others. */
export async function enterInputs(belay: Belay, target: unknown): Promise<void> {
  const server = await chooseServer(belay, target, ({ inputs = [] }) => inputs.length > 0);
  if (server !== undefined) await askInputs(belay, server, whoOf(target));
}

/** Asks one after another, and starts the server with them. Escape leaves everything as it is. */
export async function askInputs(belay: Belay, server: Server, by: By): Promise<void> {
  const { inputs = [] } = server;
  const missing = inputs.filter((input) => input.missing);
  const asked = missing.length > 0 ? missing : inputs;
  const given: { readonly secret: string; readonly value: string }[] = [];
  for (const input of asked) {
    const value = await ask(server, input);
    if (value === undefined) return;
    given.push({ secret: input.secret, value });
  }
  for (const { secret, value } of given) await belay.secrets.set(secret, value);
  if (server.state === 'needs_consent' || belay.state.current?.host.paused === true) return;
  await belay.host.request('server/restart', { server: server.id, by });
}

async function ask(server: Server, input: ServerInput): Promise<string | undefined> {
  const title = vscode.l10n.t(
    '{0} for the MCP server "{1}"',
    noticeLine(input.description),
    noticeLine(server.name),
  );
  if (input.options.length === 0)
    return vscode.window.showInputBox({
      title,
      password: input.password,
      prompt: vscode.l10n.t('It is kept in the secret storage of VS Code and handed to this server only.'),
      ignoreFocusOut: true,
      ...(input.default === undefined ? {} : { value: input.default }),
    });
  const items = input.options.map(({ label, value }) => ({
    ...pickTexts({ label, ...(value === label ? {} : { description: value }) }),
    value,
    picked: value === input.default,
  }));
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.value;
}
