import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../protocol/approval';
import type { ResultOf } from '../../protocol/methods';
import { ask } from '../bridge';
import * as app from '../state/app';
import { allow, changedCommand, setChanged, type Scope } from '../state/answering';
import { later } from '../state/clock';
import { isRecord } from '../state/values';
import { said } from '../said';
import { t } from '../strings';
import { AllowButtons } from './allowButtons';
import { Icon } from './icon';
import { Worded } from './shown';

/** A pause in the writing after which the host is asked how it judges the text, ms. */
const JUDGE_MS = 150;

interface EditFieldProps {
  readonly approval: Approval;
  readonly usable: boolean;
  /** Leaves the field without a verdict. */
  readonly back: () => void;
}

/**
 * The command to be changed before it is allowed, in the place of its preview. Enter begins a new line: no key that is
 * pressed while writing decides, but for the one that decides everywhere, with Ctrl or Cmd.
 */
export function EditField({ approval, usable, back }: EditFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const command = changedCommand(approval);
  const judged = useJudged(approval, command);
  const isAllowed = usable && command.trim() !== '' && judged?.decision !== 'deny';
  const send = (scope: Scope) => allow(approval, scope, command);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(command.length, command.length);
  }, []);
  return (
    <>
      <div class="request-preview">
        <textarea
          ref={field}
          class="text-field mono"
          rows={1}
          spellcheck={false}
          maxLength={65536}
          aria-label={t('edit.label')}
          aria-describedby="edit-hint"
          value={command}
          onInput={(event) => setChanged(approval, event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === 'Escape') back();
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            // What the editor itself has this key for has nothing to do with what is written here.
            event.stopPropagation();
            if (isAllowed && app.trusted.value && !event.repeat) send('once');
          }}
        />
      </div>
      <p class="quiet" id="edit-hint">
        {judged?.decision === 'deny' && <Icon name="circle-slash" />}
        {judged === undefined ? t('edit.hint') : <Worded text={said(judged.why)} />}
      </p>
      <div class="request-buttons">
        <button type="button" class="button secondary" onClick={back}>
          {t('request.back')}
        </button>
        <span class="grows" />
        <AllowButtons
          offers={judged?.offers ?? []}
          usable={isAllowed && app.trusted.value}
          allow={send}
          label={t('edit.allow')}
        />
      </div>
    </>
  );
}

/** How the host judges the command as it is written now, with the rules that may be left behind for it. */
function useJudged(approval: Approval, command: string) {
  const [judged, setJudged] = useState<
    { readonly of: string; readonly found: ResultOf<'rule/explain'> } | undefined
  >(undefined);
  useEffect(() => {
    if (command.trim() === '' || !isRecord(approval.args)) return undefined;
    const args = { ...approval.args, command };
    let goes = true;
    const cancel = later(JUDGE_MS, () =>
      ask(
        'rule/explain',
        { session: approval.session, tool: approval.tool, args },
        (found) => {
          if (goes) setJudged({ of: command, found });
        },
        () => undefined,
      ),
    );
    return () => {
      goes = false;
      cancel();
    };
  }, [command]);
  if (judged?.of !== command) return undefined;
  const { decision, why, offers } = judged.found;
  const [session, workspace = session] = offers;
  return {
    decision,
    why,
    offers:
      session === undefined || workspace === undefined
        ? []
        : [
            { scope: 'session' as const, label: session },
            { scope: 'workspace' as const, label: workspace },
          ],
  };
}
