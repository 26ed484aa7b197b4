import { l10n } from 'vscode';
import type { Server, ServerState, ServerTool, Snapshot } from '../../protocol';
import { age, spokenAge } from './ages';
import { fenced, plain } from './markdown';
import { FAILED_COLOR, NEEDS_COLOR, type Row } from './treeModel';
import { said } from '../said';

/** The rows of Servers, in the order of their configuration, with their tools below them. */
export function serverRows(snapshot: Snapshot, now: number): readonly Row[] {
  return snapshot.servers.map((server) => serverRow(server, now));
}

function serverRow(server: Server, now: number): Row {
  const words = serverWords(server);
  const color = colorOf(server);
  // Of a sign-in the words say it all.
  const isSaid = server.state === 'ready' || server.state === 'needs_sign_in';
  const trouble = isSaid || server.error === undefined ? undefined : said(server.error);
  return {
    id: `server/${server.id}`,
    label: server.name,
    description: [words, ...(trouble === undefined ? [] : [trouble]), toolCount(server)].join(' · '),
    icon: iconOf(server),
    ...(color === undefined ? {} : { color }),
    context: contextOf(server),
    spoken: [
      server.name,
      words,
      ...(trouble === undefined ? [] : [trouble]),
      spokenAge(server.changedAt, now),
    ].join(', '),
    tooltip: () => tooltip(server, words, now),
    subject: { server: server.id },
    children: server.tools.map((tool) => toolRow(server, tool)),
    folded: true,
  };
}

const contextOf = ({ state, account, inputs = [] }: Server): string =>
  [
    '<server>',
    `<${state}>`,
    ...(account === undefined ? [] : [`<account_${account}>`]),
    ...(inputs.length === 0 ? [] : ['<inputs>']),
  ].join('');

/** How it stands, in words. */
export function serverWords(server: Server): string {
  switch (server.state) {
    case 'needs_consent':
      return l10n.t('waits for your consent');
    case 'idle':
      return l10n.t('starts when it is needed');
    case 'starting':
      return l10n.t('starting');
    case 'ready':
      return l10n.t('ready');
    case 'backing_off':
      return l10n.t('ended by itself, starts again ({0})', server.restarts);
    case 'stopping':
      return l10n.t('stopping');
    case 'stopped':
      return l10n.t('stopped');
    case 'needs_sign_in':
      return server.account === 'under_way'
        ? l10n.t('waits for your browser')
        : l10n.t('wants you to sign in');
    case 'needs_input':
      return l10n.t('needs your input');
    case 'failed':
      return l10n.t('failed');
  }
}

const toolCount = (server: Server): string =>
  server.tools.length === 1 ? l10n.t('1 tool') : l10n.t('{0} tools', server.tools.length);

function iconOf(server: Server): string {
  switch (server.state) {
    case 'needs_consent':
      return 'bell-dot';
    case 'idle':
      return 'circle-outline';
    case 'starting':
    case 'stopping':
      return 'sync~spin';
    case 'ready':
      return 'plug';
    case 'backing_off':
      return 'clock';
    case 'stopped':
      return 'stop-circle';
    case 'needs_sign_in':
      return 'account';
    case 'needs_input':
      return 'key';
    case 'failed':
      return 'error';
  }
}

function colorOf(server: Server): string | undefined {
  if (NEEDS_PERSON.includes(server.state)) return NEEDS_COLOR;
  return server.state === 'failed' ? FAILED_COLOR : undefined;
}

/** Nothing goes on until a person has acted. */
const NEEDS_PERSON: readonly ServerState[] = ['needs_consent', 'needs_sign_in', 'needs_input'];

function tooltip(server: Server, words: string, now: number): string {
  const facts = [
    `${words} · ${age(server.changedAt, now)}`,
    ...(server.error === undefined ? [] : [`${l10n.t('Last error')}: ${plain(said(server.error))}`]),
    ...(server.version === undefined ? [] : [`${l10n.t('Says of itself')}: ${plain(server.version)}`]),
    ...(server.account === 'signed_in' ? [l10n.t('You are signed in')] : []),
    ...(server.pid === undefined ? [] : [`${l10n.t('Process')}: ${server.pid}`]),
    server.source === 'settings'
      ? l10n.t('Configured in your settings')
      : `${l10n.t('Configured in')}: ${plain(server.file ?? '')}`,
    l10n.t('Restarts: {0}', server.restarts),
  ];
  const target = server.consent?.text ?? server.target;
  return `${target === '' ? '' : `${fenced(target, '', 20)}\n\n`}${facts.join('  \n')}`;
}

function toolRow(server: Server, tool: ServerTool): Row {
  const [first = ''] = tool.description.split('\n');
  return {
    id: `server/${server.id}/${tool.name}`,
    label: tool.title,
    description: first,
    icon: 'tools',
    context: '<tool>',
    spoken: [tool.title, first].join(', '),
    tooltip: () =>
      [
        `**${plain(tool.name)}**`,
        plain(tool.description),
        ...(tool.hints.length === 0
          ? []
          : [`${l10n.t('The server says')}: ${tool.hints.map(hintWords).join(', ')}`]),
      ].join('\n\n'),
    subject: { server: server.id },
  };
}

/** What a server says of its tool. It is shown, and nothing is decided by it. */
function hintWords(hint: ServerTool['hints'][number]): string {
  switch (hint) {
    case 'readOnly':
      return l10n.t('only reads');
    case 'destructive':
      return l10n.t('may destroy');
    case 'idempotent':
      return l10n.t('twice is as once');
    case 'openWorld':
      return l10n.t('reaches beyond this machine');
  }
}
