import { l10n } from 'vscode';
import type { HostStatus } from '../hostClient';
import { COMMANDS, VIEWS, type CommandId } from '../ids';
import type { Summary } from '../summary';

export interface StatusModel {
  readonly text: string;
  readonly tooltip: string;
  readonly spoken: string;
  readonly command: CommandId | `${string}.focus`;
  /** Loud only where a person must act. */
  readonly loud: 'no' | 'warning' | 'error';
}

/** The one status bar item. The cord comes before everything, a request before running work. */
export function statusModel(status: HostStatus, summary: Summary): StatusModel {
  const focus = `${VIEWS.needs}.focus` as const;
  const needs = summary.approvals + summary.questions;
  if (status.kind === 'failed') {
    const text = l10n.t('Belay: the agent host does not run. {0}', status.why);
    return {
      text: '$(error) Belay',
      tooltip: text,
      spoken: text,
      command: COMMANDS.restartHost,
      loud: 'error',
    };
  }
  if (summary.paused) {
    const tooltip =
      needs === 0
        ? l10n.t('Paused: nothing starts until you resume.')
        : l10n.t('Paused: nothing starts until you resume. Waiting for you: {0}.', needs);
    return {
      text: `$(debug-pause) ${l10n.t('Belay paused')}`,
      tooltip,
      spoken: `${l10n.t('Belay paused')}. ${tooltip}`,
      command: COMMANDS.resume,
      loud: 'warning',
    };
  }
  if (needs > 0) {
    const tooltip =
      needs === 1 ? l10n.t('1 request waits for you') : l10n.t('{0} requests wait for you', needs);
    return {
      text: `$(bell-dot) Belay ${needs}`,
      tooltip,
      spoken: `Belay. ${tooltip}`,
      command: focus,
      loud: 'no',
    };
  }
  if (summary.running > 0) {
    const tooltip =
      summary.running === 1
        ? l10n.t('1 session is at work')
        : l10n.t('{0} sessions are at work', summary.running);
    return {
      text: `$(sync~spin) Belay ${summary.running}`,
      tooltip,
      spoken: `Belay. ${tooltip}`,
      command: focus,
      loud: 'no',
    };
  }
  if (status.kind === 'starting' || status.kind === 'restarting') {
    const tooltip = l10n.t('Belay: the agent host is starting…');
    return { text: '$(loading~spin) Belay', tooltip, spoken: tooltip, command: focus, loud: 'no' };
  }
  const calm = l10n.t('Belay: nothing waits for you');
  return { text: '$(shield) Belay', tooltip: calm, spoken: calm, command: focus, loud: 'no' };
}
