import * as vscode from 'vscode';
import { messageOf } from '../hostError';
import type { HostClient } from '../hostClient';
import { said } from '../said';
import { askedOf, type RuleDraft } from './ruleDraft';
import type { Checked } from './steps';

/** What the host says of it, without writing anything. */
export async function previewRule(host: HostClient, draft: RuleDraft): Promise<Checked> {
  if (draft.typed[draft.kind].trim() === '')
    return { fits: false, words: vscode.l10n.t('There is nothing here yet.') };
  try {
    const { label } = await host.request('rule/preview', askedOf(draft));
    return { fits: true, words: said(label) };
  } catch (error) {
    return { fits: false, words: messageOf(error) };
  }
}
