import type { CallPart } from '../../protocol/transcript';
import { command, request } from '../bridge';
import { BY } from '../bridgeProtocol';
import * as app from '../state/app';
import { act } from '../state/sending';
import { isRecord, textOf } from '../state/values';
import { isStringKey, t } from '../strings';
import { replacement, type DiffRow } from '../text/diff';
import { clock, took } from '../text/words';
import { imageSource } from './attachments';
import { Diff } from './diff';
import { Fields } from './fields';
import { Output } from './output';
import { Script, ScriptOutcome } from './script';
import { pieces, Worded } from './shown';
import { errorCode, type HandleNow } from './states';
import { said } from '../said';

/** What a call did: the command or the change or the arguments, what came of it, who let it, and when. */
interface CallBodyProps {
  readonly call: CallPart;
  readonly handle: HandleNow | undefined;
  /** Why it asks, while it asks. */
  readonly why: string | undefined;
}

export function CallBody({ call, handle, why }: CallBodyProps) {
  return (
    <>
      {call.tool === 'exec' ? <Script call={call} /> : <Given call={call} />}
      {call.tool === 'exec' ? <ScriptOutcome call={call} /> : <Outcome call={call} />}
      {call.images?.map((image, index) => (
        <img
          key={index}
          class="picture"
          src={imageSource(image)}
          alt={t('part.resultImage', { title: call.title })}
        />
      ))}
      <Facts call={call} why={why} />
      {handle !== undefined && <HandleButtons handle={handle} />}
    </>
  );
}

function Given({ call }: { readonly call: CallPart }) {
  const args = call.args;
  const line = isRecord(args) ? textOf(args, 'command') : undefined;
  const rows = editRows(call);
  if (rows !== undefined) return <Diff rows={rows} label={t('call.change')} />;
  if (line !== undefined) {
    return (
      <pre class="command" tabIndex={0} aria-label={t('call.command')}>
        {pieces(line, 'code')}
      </pre>
    );
  }
  if (isRecord(args) && Object.keys(args).length === 0) return <p class="quiet">{t('call.noArguments')}</p>;
  return (
    <div class="block" role="group" aria-label={t('call.arguments')}>
      <Fields value={args} />
    </div>
  );
}

/** The rows of an edit or of a new file, from the arguments of the call. */
export function editRows(call: CallPart): readonly DiffRow[] | undefined {
  const { args } = call;
  if (!isRecord(args)) return undefined;
  if (call.tool === 'edit') return replacement(textOf(args, 'old') ?? '', textOf(args, 'new') ?? '');
  if (call.tool === 'write') return replacement('', textOf(args, 'text') ?? '');
  return undefined;
}

function Outcome({ call }: { readonly call: CallPart }) {
  if (call.output !== undefined) return <Output label={t('call.output')} text={call.output} />;
  const result = call.result;
  if (result === undefined || call.state === 'lifted') return null;
  if (!isRecord(result)) return <Fields value={result} />;
  const { error: _code, detail: _detail, stdout, stderr, ...rest } = result;
  const out = typeof stdout === 'string' ? stdout : '';
  const wrong = typeof stderr === 'string' ? stderr : '';
  const isCommand = stdout !== undefined || stderr !== undefined;
  return (
    <>
      <Failure call={call} />
      {out !== '' && <Output label={t('call.output')} text={out} />}
      {wrong !== '' && <Output label={t('call.errorOutput')} text={wrong} tone="error" />}
      {isCommand && out === '' && wrong === '' && <p class="quiet">{t('call.noOutput')}</p>}
      {!isCommand && Object.keys(rest).length > 0 && (
        <div class="block" role="group" aria-label={t('call.result')}>
          <Fields value={rest} />
        </div>
      )}
    </>
  );
}

function Failure({ call }: { readonly call: CallPart }) {
  const code = errorCode(call);
  if (code === undefined) return null;
  const key = `result.${code}`;
  const detail = isRecord(call.result) ? textOf(call.result, 'detail') : undefined;
  return (
    <div class="failure">
      <p>{t(isStringKey(key) ? key : 'result.tool_failed')}</p>
      {detail !== undefined && detail !== '' && <p class="quiet">{pieces(said(detail), 'code')}</p>}
    </div>
  );
}

function Facts({ call, why }: { readonly call: CallPart; readonly why: string | undefined }) {
  const { verdict, startedAt, endedAt } = call;
  return (
    <ul class="facts">
      {why !== undefined && (
        <li>
          <Worded text={t('call.why', { why: said(why) })} />
        </li>
      )}
      {call.edited !== undefined && (
        <li>{pieces(t('call.edited', { command: call.edited.from }), 'code')}</li>
      )}
      {call.rule !== undefined && (
        <li>
          <Worded text={t('call.unasked', { rule: said(call.rule) })} />{' '}
          <button type="button" class="link" onClick={() => command({ command: 'manageRules', args: {} })}>
            {t('call.rules')}
          </button>
        </li>
      )}
      {verdict !== undefined && <li>{pieces(verdictText(verdict), 'code')}</li>}
      {startedAt !== undefined && (
        <li>
          {endedAt === undefined
            ? t('call.started', { start: clock(startedAt) })
            : t('call.times', { start: clock(startedAt), took: took(endedAt - startedAt) })}
        </li>
      )}
      <li>
        {t('call.tool')}: <span class="mono">{pieces(call.tool, 'code')}</span>
      </li>
    </ul>
  );
}

function verdictText({ decision, by, at, reason }: NonNullable<CallPart['verdict']>): string {
  const values = { by: said(by), time: clock(at), reason: reason ?? '' };
  if (decision === 'allow') return t('call.verdictAllow', values);
  return t(reason === undefined ? 'call.verdictDeny' : 'call.verdictDenyReason', values);
}

function HandleButtons({ handle }: { readonly handle: HandleNow }) {
  const name = { handle: handle.id };
  return (
    <div class="buttons">
      {handle.kind === 'terminal' && handle.state === 'running' && (
        <button
          type="button"
          class="button secondary"
          onClick={() => command({ command: 'attachTerminal', args: { handle: handle.id } })}
        >
          {t('call.attach', name)}
        </button>
      )}
      <button
        type="button"
        class="button secondary"
        onClick={() => command({ command: 'showHandleOutput', args: { handle: handle.id } })}
      >
        {t('call.handle', name)}
      </button>
      {handle.state !== 'ended' && (
        <button
          type="button"
          class="button secondary"
          disabled={!app.hostReady.value}
          onClick={() => act(request('handle/stop', { handle: handle.id, by: BY.chat }))}
        >
          {t('call.stop', name)}
        </button>
      )}
    </div>
  );
}
