import { useEffect, useRef } from 'preact/hooks';
import type { Approval } from '../../protocol/approval';
import * as app from '../state/app';
import { deny, setReply } from '../state/answering';
import { t } from '../strings';

interface DenyFieldProps {
  readonly approval: Approval;
  readonly usable: boolean;
  /** Leaves the field without a verdict. */
  readonly back: () => void;
}

/** The reason for a denial, in the place of the buttons. It opens by the person's click, so it takes the focus. */
export function DenyField({ approval, usable, back }: DenyFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const reason = app.replies.value[approval.id] ?? '';
  useEffect(() => field.current?.focus(), []);
  const send = () => {
    if (usable) deny(approval, reason);
  };
  return (
    <div class="request-buttons">
      <input
        ref={field}
        class="text-field"
        type="text"
        maxLength={4096}
        dir="auto"
        aria-label={t('request.denyReason')}
        title={t('request.denyReason')}
        placeholder={t('request.denyPlaceholder')}
        value={reason}
        onInput={(event) => setReply(approval.id, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') back();
          if (event.key === 'Enter' && !event.isComposing) send();
        }}
      />
      <button type="button" class="button secondary" onClick={back}>
        {t('request.back')}
      </button>
      <button type="button" class="button" disabled={!usable} onClick={send}>
        {t('request.denySend')}
      </button>
    </div>
  );
}
