/**
 * What a message that is sent now will do, told before it is sent: the label of the button and the line under
 * the composer.
 */
import type { Mirror } from './mirror';
import { needOf, sessionOf } from './mirror';
import type { CallPart } from '../../protocol/transcript';
import type { StringKey } from '../strings';

export type Choice = 'steer' | 'queue';

export interface Consequence {
  readonly key: StringKey;
  readonly values?: Readonly<Record<string, string>>;
}

export function consequence(
  mirror: Mirror | undefined,
  session: string | undefined,
  choice: Choice,
): Consequence | undefined {
  const found = sessionOf(mirror?.snapshot, session);
  const paused = mirror?.snapshot.host.paused === true;
  if (found === undefined || found.state === 'idle')
    return paused ? { key: 'composer.line.pausedIdle' } : undefined;
  if (choice === 'queue') return { key: 'composer.line.queue' };
  if (paused) return { key: 'composer.line.steerPaused' };
  if (found.state === 'paced')
    return { key: isTrying(mirror, found.turn) ? 'composer.line.steerTrying' : 'composer.line.steerPaced' };
  const waits = (mirror?.snapshot.needs ?? []).filter(
    (need) => needOf(need).turn === found.turn && needOf(need).handle === undefined,
  );
  if (waits.some((need) => need.kind === 'approval')) return { key: 'composer.line.steerApproval' };
  if (waits.length > 0) return { key: 'composer.line.steerAnswer' };
  const running = runningCall(mirror, found.turn);
  return running === undefined ? { key: 'composer.line.steerModel' } : lifting(running);
}

/** The newest thing of the turn is a failed request that is tried again, for another reason than a limit. */
function isTrying(mirror: Mirror | undefined, turn: string | undefined): boolean {
  const last = mirror?.transcript?.turns.findLast((other) => other.turn === turn)?.parts.at(-1);
  return last?.kind === 'retry' && last.code !== 'model_overloaded';
}

export function runningCall(mirror: Mirror | undefined, turn: string | undefined): CallPart | undefined {
  const view = mirror?.transcript?.turns.findLast((other) => other.turn === turn);
  return view?.parts.find((part): part is CallPart => part.kind === 'call' && part.state === 'running');
}

function lifting(call: CallPart): Consequence {
  switch (call.tool) {
    case 'shell':
      return { key: 'composer.line.steerCommand' };
    case 'exec':
      return { key: 'composer.line.steerScript' };
    case 'wait':
    case 'terminal':
    case 'write_stdin':
      return { key: 'composer.line.steerWait' };
    case 'read':
    case 'list':
    case 'find':
    case 'search':
    case 'write':
    case 'edit':
    case 'note':
    case 'history':
      return { key: 'composer.line.steerModel' };
    default:
      return { key: 'composer.line.steerCall', values: { title: call.title } };
  }
}
