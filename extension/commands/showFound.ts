import * as vscode from 'vscode';
import type { HarnessInfo, Server } from '../../protocol';
import { known, type Belay } from '../belay';
import { VIEWS } from '../ids';
import { pickLine } from '../views/line';
import { serverWords } from '../views/serversModel';
import { withModel } from './agentModel';
import { beginSession } from './beginSession';
import { pickFolder } from './newSession';
import { said } from '../said';
import { openSettings } from '../openSettings';

interface Found extends vscode.QuickPickItem {
  readonly pick?: () => Thenable<unknown>;
}

/** Agents and servers on this machine: what was found and where, and how to get the rest. */
export async function showFound(belay: Belay): Promise<void> {
  const snapshot = await known(belay);
  const { items } = await belay.host.request('harness/list', {});
  const agents = [...items].sort((a, b) => Number(b.found) - Number(a.found));
  const choice = await vscode.window.showQuickPick<Found>(
    [
      heading(vscode.l10n.t('Agents')),
      ...agents.map((agent) => agentItem(belay, agent)),
      heading(vscode.l10n.t('MCP servers')),
      ...(snapshot.servers.length === 0 ? [noServer()] : snapshot.servers.map(serverItem)),
    ],
    {
      title: vscode.l10n.t('Agents and servers on this machine'),
      placeHolder: vscode.l10n.t('Choose an agent to begin a session with it'),
      matchOnDescription: true,
      matchOnDetail: true,
    },
  );
  await choice?.pick?.();
}

const heading = (label: string): Found => ({ label, kind: vscode.QuickPickItemKind.Separator });

function agentItem(belay: Belay, agent: HarnessInfo): Found {
  if (!agent.found) {
    return {
      label: agent.name,
      description: vscode.l10n.t('not found'),
      detail: pickLine(said(agent.install ?? agent.note)),
      iconPath: new vscode.ThemeIcon('circle-slash'),
    };
  }
  return {
    label: agent.name,
    description: pickLine([agent.version, agent.path].filter((part) => part !== undefined).join(' · ')),
    detail: pickLine(said(agent.note)),
    iconPath: new vscode.ThemeIcon('robot'),
    pick: () => beginWith(belay, agent),
  };
}

function serverItem(server: Server): Found {
  return {
    label: pickLine(server.name),
    description: serverWords(server),
    iconPath: new vscode.ThemeIcon('server'),
    pick: () => vscode.commands.executeCommand(`${VIEWS.servers}.focus`),
  };
}

function noServer(): Found {
  return {
    label: vscode.l10n.t('None is configured'),
    detail: vscode.l10n.t('Add one under belay.mcp.servers, or in .vscode/mcp.json of the workspace.'),
    iconPath: new vscode.ThemeIcon('info'),
    pick: () => openSettings('@id:belay.mcp.servers'),
  };
}

async function beginWith(belay: Belay, agent: HarnessInfo): Promise<void> {
  const folder = await pickFolder();
  if (folder === undefined) return;
  const chosen = await withModel(belay, agent);
  if (chosen !== undefined) await beginSession(belay, folder, chosen);
}
