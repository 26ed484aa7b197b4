/** The questions of a new rule, each with what was answered before. */
import * as vscode from 'vscode';
import type { Rule, Session, Snapshot } from '../../protocol';
import type { Belay } from '../belay';
import type { Clock } from '../clock';
import { noticeLine, pickLine } from '../views/line';
import { sessionTitle } from '../views/needsModel';
import { pathFrom, type RuleDraft, type RuleKind, type RuleStep } from './ruleDraft';
import { EFFECT_ICONS } from './ruleLine';
import { previewRule } from './rulePreview';
import { chooseStep, textStep, type Checked, type Choice, type Place, type Reply } from './steps';

/** Tools of Belay that a rule is often for; any other is typed. */
const OWN_TOOLS = ['write', 'edit', 'write_stdin', 'read', 'list', 'find', 'search', 'exec'];
/** Their commands are better allowed one by one (A10). */
const COMMAND_TOOLS = ['shell', 'terminal'];

/** What the questions are asked with. */
export interface Asker {
  readonly belay: Belay;
  readonly snapshot: Snapshot;
  /** Absolute paths of the folders of the workspace. */
  readonly folders: readonly string[];
  readonly clock: Clock;
}

/** `keep` takes what is typed while it is typed. */
type Question = (
  asker: Asker,
  draft: RuleDraft,
  place: Place,
  keep: (text: string) => void,
) => Promise<Reply<Partial<RuleDraft>>>;

export const questions: Readonly<Record<Exclude<RuleStep, 'confirm'>, Question>> = {
  effect: askEffect,
  scope: askScope,
  kind: askKind,
  folder: askFolder,
  what: (asker, draft, place, keep) =>
    draft.kind === 'tool' ? askTool(asker, draft, place) : askText(asker, draft, place, keep),
};

function askEffect(asker: Asker, draft: RuleDraft, place: Place): Promise<Reply<Partial<RuleDraft>>> {
  const item = (effect: Rule['effect'], label: string, description: string) => ({
    label,
    description,
    iconPath: new vscode.ThemeIcon(EFFECT_ICONS[effect]),
    value: { effect },
  });
  const allow = item('allow', vscode.l10n.t('Allow'), vscode.l10n.t('it runs without asking'));
  const items = [
    ...(isTrusted(asker) ? [allow] : []),
    item('ask', vscode.l10n.t('Ask'), vscode.l10n.t('it waits for you, in every mode')),
    item('deny', vscode.l10n.t('Deny'), vscode.l10n.t('it never runs, in any mode')),
  ];
  const active = items.find(({ value }) => value.effect === draft.effect);
  const placeholder = isTrusted(asker)
    ? vscode.l10n.t('What shall become of it? Deny beats ask, and ask beats allow.')
    : vscode.l10n.t('This workspace is not trusted: a rule can ask or deny, and none can allow.');
  return chooseStep(place, { placeholder, items, active });
}

function askScope({ belay, snapshot, folders }: Asker, draft: RuleDraft, place: Place) {
  const inChat = ({ id }: Session): boolean => belay.chat.shows(id);
  const sessions = snapshot.sessions.filter(({ archived, ended }) => !archived && ended === undefined);
  const items: Choice<Partial<RuleDraft>>[] = [
    {
      label: vscode.l10n.t('This workspace'),
      description: vscode.l10n.t('all sessions, also later ones'),
      iconPath: new vscode.ThemeIcon('root-folder'),
      value: {
        everywhere: false,
        session: undefined,
        folder: folders.includes(draft.folder) ? draft.folder : (folders[0] ?? draft.folder),
      },
    },
    ...[...sessions.filter(inChat), ...sessions.filter((one) => !inChat(one))].map((session) => ({
      label: pickLine(sessionTitle(snapshot, session.id)),
      description: inChat(session)
        ? vscode.l10n.t('this session alone, the one in the chat')
        : vscode.l10n.t('this session alone'),
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      value: { everywhere: false, session: session.id, folder: session.folder },
    })),
    {
      label: vscode.l10n.t('All workspaces'),
      description: vscode.l10n.t('also others that you open on this machine'),
      iconPath: new vscode.ThemeIcon('account'),
      value: { everywhere: true, session: undefined },
    },
  ];
  const active = items.find(
    ({ value }) => value.session === draft.session && value.everywhere === (draft.everywhere ?? false),
  );
  return chooseStep(place, { placeholder: vscode.l10n.t('Where shall it hold?'), items, active });
}

function askKind(_asker: Asker, draft: RuleDraft, place: Place) {
  const item = (kind: RuleKind, icon: string, label: string, description: string) => ({
    label,
    description,
    iconPath: new vscode.ThemeIcon(icon),
    value: { kind },
  });
  const items = [
    item(
      'command',
      'terminal',
      vscode.l10n.t('A command'),
      draft.everywhere === true ? vscode.l10n.t('in every folder') : vscode.l10n.t('in one folder'),
    ),
    item('path', 'edit', vscode.l10n.t('Edits of files'), vscode.l10n.t('by the tools that change files')),
    item(
      'read',
      'eye',
      vscode.l10n.t('Reads of files'),
      vscode.l10n.t('by the tools that read, list and search'),
    ),
    item('tool', 'tools', vscode.l10n.t('A tool'), vscode.l10n.t('every call of it')),
  ];
  const active = items.find(({ value }) => value.kind === draft.kind);
  return chooseStep(place, { placeholder: vscode.l10n.t('What is it for?'), items, active });
}

function askFolder({ folders }: Asker, draft: RuleDraft, place: Place) {
  const items = folders.map((folder) => ({ label: pickLine(folder), value: { folder } }));
  const active = items.find(({ value }) => value.folder === draft.folder);
  return chooseStep(place, { placeholder: vscode.l10n.t('In which folder?'), items, active });
}

async function askText(asker: Asker, draft: RuleDraft, place: Place, keep: (text: string) => void) {
  const { kind, folder } = draft;
  const check = (text: string): Promise<Checked> => previewRule(asker.belay.host, typedIn(draft, text));
  const words =
    kind === 'command'
      ? { prompt: commandPrompt(draft), placeholder: draft.effect === 'allow' ? 'npm run *' : 'git push *' }
      : {
          prompt: filesPrompt(draft),
          placeholder: draft.effect === 'allow' ? 'src/index.ts' : kind === 'read' ? '.env*' : 'src/*.ts',
        };
  const open = kind === 'path' ? pathFrom(folder, openFile()) : '';
  const value = draft.typed[kind] === '' ? open : draft.typed[kind];
  const reply = await textStep(place, { ...words, value, check, keep }, asker.clock);
  return typeof reply === 'object' ? { value: { typed: typedIn(draft, reply.value).typed } } : reply;
}

const commandPrompt = ({ effect }: RuleDraft): string =>
  effect === 'allow'
    ? vscode.l10n.t('Exactly these words; * as the last one stands for any further words.')
    : vscode.l10n.t(
        'These words in any spelling, also inside of other commands; * as the last one stands for any further words.',
      );

const filesPrompt = ({ everywhere, folder }: RuleDraft): string =>
  everywhere === true
    ? vscode.l10n.t('Names of files or folders, wherever they are, with * and ?; or an absolute path.')
    : vscode.l10n.t(
        'A file, or a folder with / at its end, from {0} on; with * or ?, names wherever they are.',
        noticeLine(folder),
      );

function askTool({ snapshot }: Asker, draft: RuleDraft, place: Place) {
  const item = (tool: string, description?: string) => ({
    label: pickLine(tool),
    ...(description === undefined ? {} : { description: pickLine(description) }),
    value: typedIn(draft, tool),
  });
  const items = [
    ...[...OWN_TOOLS, ...(draft.effect === 'allow' ? [] : COMMAND_TOOLS)].map((tool) => item(tool)),
    ...snapshot.servers.flatMap(({ name, tools }) => tools.map((tool) => item(tool.name, name))),
  ];
  const chosen = draft.typed.tool;
  const isListed = items.some(({ value }) => value.typed.tool === chosen);
  if (chosen !== '' && !isListed) items.push(item(chosen));
  const active = items.find(({ value }) => value.typed.tool === chosen);
  const placeholder = vscode.l10n.t('Which tool? Choose one, or type its name.');
  return chooseStep(place, { placeholder, items, active, typed: (text) => item(text) });
}

const typedIn = (draft: RuleDraft, text: string): RuleDraft => ({
  ...draft,
  typed: { ...draft.typed, [draft.kind]: text },
});

export const isTrusted = ({ snapshot }: Asker): boolean => snapshot.host.trusted;

function openFile(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? uri.fsPath : undefined;
}
