import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Reverted } from '../../protocol/change';
import type { TurnView } from '../../protocol/transcript';
import * as app from '../state/app';
import { filesSince, goBack } from '../state/goingBack';
import { act } from '../state/sending';
import { t } from '../strings';
import { Refused } from './changesCard';

interface GoBackProps {
  readonly view: TurnView;
  readonly close: () => void;
}

/** Asked once more, in place: what becomes of the conversation, and of the files that were changed since. */
export function GoBack({ view, close }: GoBackProps) {
  const [left, setLeft] = useState<readonly Reverted[]>([]);
  const [going, setGoing] = useState(false);
  const buttons = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => buttons.current?.querySelector('button')?.focus(), [left]);
  const isOutside = app.session.value?.agent.kind === 'harness';
  const files = filesSince(app.turnsHere.value?.turns ?? [], view.turn).length;
  const canRevert = files > 0 && left.length === 0 && !app.paused.value;
  const go = (reverts: boolean) => {
    setGoing(true);
    act(
      goBack(view, reverts).then((refused) => {
        setLeft(refused);
        setGoing(false);
      }),
      () => setGoing(false),
    );
  };
  return (
    <div
      class="changes"
      role="group"
      aria-label={t('back.label')}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      {left.map((one) => (
        <Refused key={one.path} reverted={one} />
      ))}
      <div class="changes-ask">
        <p>
          {t('back.ask')}{' '}
          <span class="quiet">
            {t('back.detail')} {isOutside ? t('back.outside') : ''}
          </span>
        </p>
        <div class="buttons" ref={buttons}>
          {canRevert && (
            <button type="button" class="button" disabled={going} onClick={() => go(true)}>
              {files === 1 ? t('back.revertOne') : t('back.revert', { count: files })}
            </button>
          )}
          <button
            type="button"
            class={canRevert ? 'button secondary' : 'button'}
            disabled={going}
            onClick={() => go(false)}
          >
            {files === 0 || left.length > 0 ? t('back.go') : t('back.keep')}
          </button>
          <button type="button" class="button secondary" onClick={close}>
            {t('changes.cancel')}
          </button>
        </div>
      </div>
    </div>
  );
}
