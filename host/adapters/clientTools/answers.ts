/** What a channel hands to an agent for a reply: the words as they are, byte for byte. Pure. */
import type { RelayAnswer } from '../../../protocol';
import type { AgentReply, CallResult } from '../../engine/ports';

/** A person's answer is its own text; any other result is its JSON. */
export function textOf(result: CallResult): string {
  const { answer, ...rest } = result.output;
  return typeof answer === 'string' && Object.keys(rest).length === 0
    ? answer
    : JSON.stringify(result.output);
}

/** The answer of a shim; undefined when nothing may be written (`parked`, `dropped`). */
export function relayAnswer(reply: AgentReply): RelayAnswer | undefined {
  switch (reply.kind) {
    case 'answered': {
      const { result } = reply;
      if (result.failed) return { ok: false, error: textOf(result) };
      const images = result.images ?? [];
      return { ok: true, text: textOf(result), ...(images.length === 0 ? {} : { images }) };
    }
    case 'acknowledged':
      return { ok: true, paused: true };
    case 'parked':
    case 'dropped':
      return undefined;
  }
}
