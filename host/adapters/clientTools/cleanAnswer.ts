/** An answer as it may be kept and told: no secret of Belay's is in it, whoever wrote it (X8). */
import type { Answer } from '../../../protocol';
import { redact, type Secrets } from '../../base/redact';

export function cleanAnswer(answer: Answer, secrets: Secrets): Answer {
  if (secrets.values.length === 0) return answer;
  return 'error' in answer
    ? { error: redact(answer.error, secrets) }
    : { ...answer, text: redact(answer.text, secrets) };
}
