/** How a call ended, in words: a code alone says nothing to a person. */
import { l10n } from 'vscode';
import type { HandleEnd, ResultCode } from '../../protocol';

const WORDS: Readonly<Record<ResultCode | HandleEnd, () => string>> = {
  completed: () => l10n.t('completed'),
  exited: () => l10n.t('ended'),
  answered: () => l10n.t('answered'),
  failed: () => l10n.t('failed'),
  tool_failed: () => l10n.t('failed'),
  signalled: () => l10n.t('ended by a signal'),
  timed_out: () => l10n.t('timed out'),
  stopped: () => l10n.t('stopped'),
  cancelled: () => l10n.t('stopped with its turn'),
  turn_ended: () => l10n.t('its turn was over'),
  host_paused: () => l10n.t('ended by the pause'),
  lost: () => l10n.t('outcome unknown'),
  outcome_unknown: () => l10n.t('outcome unknown'),
  denied: () => l10n.t('denied'),
  approval_denied: () => l10n.t('denied'),
  expired: () => l10n.t('lapsed'),
  approval_lapsed: () => l10n.t('lapsed'),
  withdrawn: () => l10n.t('withdrawn'),
  unserved: () => l10n.t('nobody served it'),
  request_undeliverable: () => l10n.t('the agent could not be told'),
  server_unavailable: () => l10n.t('its server is not there'),
  tool_unknown: () => l10n.t('there is no such tool'),
  tool_arguments_invalid: () => l10n.t('called with wrong arguments'),
  file_unsaved: () => l10n.t('the file had unsaved changes'),
  handle_unknown: () => l10n.t('there is no such handle'),
  output_limit: () => l10n.t('more than is kept'),
};

const isKnown = (outcome: string): outcome is keyof typeof WORDS => Object.hasOwn(WORDS, outcome);

/** A script, and an extension's tool, may end with a word of its own, which is shown as it is. */
export const outcomeWords = (outcome: string): string => (isKnown(outcome) ? WORDS[outcome]() : outcome);
