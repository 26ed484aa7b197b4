/**
 * The nested calls of one script: each becomes a step of its call, its result goes back as JSON.
 *
 * Owns which of them are under way. 1. After a halt nothing more is sent either way. 2. Replies of one moment go
 * in one message.
 */
import { DEPTH_MOST, isTooDeep } from '../../base/json';
import { NESTED_RESULT_BYTES } from '../../../protocol';
import { soon } from '../../base/clock';
import type { CallResult, Steps, StopReason } from '../../engine/ports';
import type { NestedCall, Reply } from './messages';

export class NestedCalls {
  /** Calls that have no result, and those of them that have left: the others wait for a person or a place. */
  underWay = 0;
  running = 0;
  /** Replies that have been sent. */
  sent = 0;
  private replies: Reply[] = [];
  private isOver = false;

  constructor(
    private readonly steps: Steps,
    private readonly send: (replies: readonly Reply[]) => void,
    private readonly changed: () => void,
  ) {}

  make({ id, tool, args }: NestedCall): void {
    if (this.isOver) return;
    this.underWay += 1;
    if (isTooDeep(args)) {
      const detail = `Arguments are nested at most ${DEPTH_MOST} deep.`;
      this.settle(id, { output: { error: 'tool_arguments_invalid', detail }, failed: true }, false);
      return;
    }
    let hasLeft = false;
    const began = () => {
      hasLeft = true;
      this.running += 1;
      this.changed();
    };
    this.steps.call(tool, args, began).then(
      (result) => this.settle(id, result, hasLeft),
      (error: unknown) => this.settle(id, failed(error), hasLeft),
    );
  }

  /** The script is over: what is under way ends, and its results are for the record alone. */
  end(reason: StopReason): Promise<void> {
    this.isOver = true;
    this.replies = [];
    return this.steps.halt(reason);
  }

  private settle(id: number, result: CallResult, hasLeft: boolean): void {
    this.underWay -= 1;
    if (hasLeft) this.running -= 1;
    if (this.isOver) return;
    this.replies.push(replyOf(id, result));
    if (this.replies.length === 1) soon(() => this.flush());
  }

  private flush(): void {
    const { replies } = this;
    this.replies = [];
    if (this.isOver || replies.length === 0) return;
    this.sent += replies.length;
    try {
      this.send(replies);
    } catch {
      // The cord was pulled: the script is about to be ended, and hears nothing more.
      return;
    }
    this.changed();
  }
}

/** The step could not be made, as when the disk refuses: the script goes on with that (R5, R11). */
function failed(error: unknown): CallResult {
  const detail = error instanceof Error ? error.message : String(error);
  return { output: { error: 'tool_failed', detail }, failed: true };
}

/** A script gets a result whole (M4): also what a model would be shown in part. */
export function replyOf(id: number, result: CallResult): Reply {
  const { omitted_bytes: _omitted, ...output } = result.output;
  const whole = Object.fromEntries((result.kept ?? []).map(({ name, text }) => [name, text]));
  const images = result.images ?? [];
  const pictures = images.length === 0 || 'images' in output ? {} : { images };
  const json = JSON.stringify({
    ...(result.kept === undefined ? result.output : output),
    ...whole,
    ...pictures,
  });
  const bytes = Buffer.byteLength(json);
  if (bytes > NESTED_RESULT_BYTES) {
    const detail = `The result has ${bytes} bytes; a script takes at most ${NESTED_RESULT_BYTES}. Ask for less of it.`;
    return { id, ok: false, json: JSON.stringify({ error: 'output_limit', detail }) };
  }
  return { id, ok: typeof result.output['error'] !== 'string', json };
}
