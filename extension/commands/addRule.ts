import * as vscode from 'vscode';
import type { Rule } from '../../protocol';
import { known, type Belay } from '../belay';
import { systemClock, type Clock } from '../clock';
import { messageOf } from '../hostError';
import { by } from '../ids';
import { noticeText, pickLine } from '../views/line';
import { localFolders, pickFolder } from './newSession';
import { askedOf, stepsOf, type RuleDraft } from './ruleDraft';
import { effectWords, ruleLine } from './ruleLine';
import { previewRule } from './rulePreview';
import { isTrusted, questions, type Asker } from './ruleQuestions';
import { chooseStep, type Place, type Reply } from './steps';

/** The questions of a new rule, one after another; the rule once it is written. */
export async function addRule(belay: Belay, clock: Clock = systemClock): Promise<Rule | undefined> {
  const snapshot = await known(belay);
  const folders = localFolders();
  // Without a folder there is nothing that a rule could be for: this says so.
  const folder = folders[0] ?? (await pickFolder());
  if (folder === undefined) return undefined;
  const asker = { belay, snapshot, folders, clock };
  const typed = { command: '', path: '', read: '', tool: '' };
  let draft: RuleDraft = { effect: isTrusted(asker) ? 'allow' : 'deny', kind: 'command', folder, typed };
  for (let at = 0; ;) {
    const steps = stepsOf(draft, folders);
    const place = { title: vscode.l10n.t('Add a rule'), step: at + 1, totalSteps: steps.length };
    const step = steps[at] ?? 'confirm';
    if (step === 'confirm') {
      const done = await confirm(asker, draft, place);
      if (done === undefined) return undefined;
      if (done !== 'back') return done.value;
      at -= 1;
    } else {
      const keep = (text: string): void => {
        draft = { ...draft, typed: { ...draft.typed, [draft.kind]: text } };
      };
      const reply = await questions[step](asker, draft, place, keep);
      if (reply === undefined) return undefined;
      if (reply !== 'back') draft = { ...draft, ...reply.value };
      at += reply === 'back' ? -1 : 1;
    }
  }
}

/** The rule as it will stand in the list; Enter writes it. What is refused by now goes back to be mended. */
async function confirm(asker: Asker, draft: RuleDraft, place: Place): Promise<Reply<Rule>> {
  const { belay, snapshot } = asker;
  const asked = askedOf(draft);
  const preview = await previewRule(belay.host, draft);
  const { effect, session } = draft;
  const rule = { effect, session, scope: asked.scope, label: preview.words };
  const item = preview.fits
    ? {
        ...ruleLine(snapshot, rule),
        detail: vscode.l10n.t('{0} · Enter adds this rule', effectWords(draft.effect)),
        value: true,
      }
    : { label: vscode.l10n.t('Back'), detail: pickLine(preview.words), value: false };
  const placeholder = vscode.l10n.t('Requests that wait are judged again at once.');
  const reply = await chooseStep(place, { placeholder, items: [item] });
  if (typeof reply !== 'object') return reply;
  if (!reply.value) return 'back';
  try {
    return { value: (await belay.host.request('rule/add', { ...asked, by: by.palette })).rule };
  } catch (error) {
    void vscode.window.showErrorMessage(noticeText(messageOf(error)));
    return 'back';
  }
}
