import { useState } from 'preact/hooks';
import type { CallPart } from '../../protocol/transcript';
import { t } from '../strings';
import { CallCard } from './callCard';

/** Steps that are drawn until more are asked for: a script makes up to ten thousand. */
const STEPS = 30;

interface StepsProps {
  readonly steps: readonly CallPart[];
  readonly turn: string;
  /** Of a card that is closed, only those that wait for the person or run. */
  readonly open: boolean;
}

/** The steps of a script, a line each, under the call that made them. */
export function Steps({ steps, turn, open }: StepsProps) {
  const [all, setAll] = useState(false);
  const wanted = open ? steps : steps.filter((step) => step.state === 'asking' || step.state === 'running');
  const shown = all && open ? wanted : wanted.slice(-STEPS);
  if (shown.length === 0) return null;
  return (
    <div class="steps" role="group" aria-label={t('script.steps', { count: steps.length })}>
      {open && wanted.length > shown.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {t('script.moreSteps', { count: wanted.length - shown.length })}
        </button>
      )}
      {shown.map((step) => (
        <CallCard key={step.call_id} call={step} turn={turn} />
      ))}
    </div>
  );
}
