/**
 * Prompts under way. Each lasts until its turn has ended, or waits for words that only the next prompt can bring.
 *
 * Owns: who waits for which event. 1. Each prompt comes to one end: its turn's, its message's removal, its session's,
 * or the host's. 2. Words answer a question of the tool `ask` alone, and never one of its choices or a form; else a
 * prompt is a message (R4). 3. A cancel ends every prompt of its session.
 */
import {
  RequestError,
  type ContentBlock,
  type PromptResponse,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { BelayEvent, EventOf } from '../protocol/events';
import type { MessageId, SessionId } from '../protocol/ids';
import type { Question } from '../protocol/question';
import { wantsWords } from './answers';
import type { HostLink } from './hostLink';
import { promptOf, wordsOf, type Prompt } from './prompt';

const CANCELLED = { stopReason: 'cancelled' } as const;

interface UnderWay {
  readonly session: SessionId;
  /** What its session has told since it began. */
  readonly heard: BelayEvent[];
  /** Not read yet: a cancel takes it back. */
  unread: MessageId | undefined;
  isCancelled: boolean;
}

export class Prompts {
  private readonly underWay = new Set<UnderWay>();
  private readonly waiters = new Set<(event: BelayEvent) => void>();

  constructor(
    /** Rejects a refusal as ACP's `RequestError`. */
    private readonly ask: HostLink['request'],
    private readonly hostEnded: Promise<Error>,
    /** The questions of a session that wait for its person. */
    private readonly questionsOf: (session: SessionId) => Promise<readonly Question[]>,
  ) {}

  take(event: BelayEvent): void {
    for (const prompt of this.underWay) if (event.session === prompt.session) prompt.heard.push(event);
    for (const look of this.waiters) look(event);
  }

  async run(session: SessionId, blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    const said = promptOf(blocks);
    const prompt: UnderWay = { session, heard: [], unread: undefined, isCancelled: false };
    this.underWay.add(prompt);
    try {
      const question = (await this.questionsOf(session)).find(wantsWords);
      if (prompt.isCancelled) return CANCELLED;
      return question === undefined
        ? await this.send(prompt, said)
        : await this.answer(prompt, question, said);
    } finally {
      this.underWay.delete(prompt);
    }
  }

  /** What is not read yet is taken back first: after an interrupt the next message in line would start a turn. */
  async cancel(session: SessionId): Promise<void> {
    for (const prompt of this.underWay)
      if (prompt.session === session) {
        prompt.isCancelled = true;
        await this.takeBack(prompt);
      }
    await this.interrupt(session);
  }

  private async send(prompt: UnderWay, { text, images, context }: Prompt): Promise<PromptResponse> {
    const { session } = prompt;
    const { message, turn } = await this.ask('message/send', { session, text, images, context });
    if (turn === undefined) prompt.unread = message.id;
    // The cancel came while it was on its way.
    if (prompt.isCancelled) {
      await this.takeBack(prompt);
      await this.interrupt(session);
    }
    const reads = turn ?? (await this.readIn(prompt, message.id));
    return reads === undefined ? CANCELLED : this.ended(prompt, reads);
  }

  /**
   * The turn that goes on with the answer: the question's own, or the one that runs by now. The call of a turn that
   * has ended goes on in the background, for as long as it likes: no prompt waits for that.
   */
  private async answer(prompt: UnderWay, question: Question, said: Prompt): Promise<PromptResponse> {
    const { session } = prompt;
    const answer = { text: wordsOf(said), images: said.images };
    await this.ask('question/answer', { question: question.id, answer });
    const { session: row } = await this.ask('session/get', { session });
    const isOver = prompt.heard.some((event) => event.type === 'turn_ended' && event.turn === question.turn);
    const turn = isOver ? question.turn : row.turn;
    if (turn === undefined) return { stopReason: 'end_turn' };
    if (prompt.isCancelled) await this.interrupt(session);
    return this.ended(prompt, turn);
  }

  /** The turn that reads it; undefined when it is taken back before that. */
  private async readIn(prompt: UnderWay, message: MessageId): Promise<string | undefined> {
    const read = await this.next(
      prompt,
      (event): event is EventOf<'message_read'> | EventOf<'message_removed'> | EventOf<'session_deleted'> =>
        event.type === 'session_deleted' ||
        ((event.type === 'message_read' || event.type === 'message_removed') &&
          event.data.message === message),
    );
    prompt.unread = undefined;
    return read.type === 'message_read' ? read.turn : undefined;
  }

  private async interrupt(session: SessionId): Promise<void> {
    const { session: row } = await this.ask('session/get', { session });
    if (row.turn === undefined) return;
    try {
      await this.ask('turn/interrupt', { session, turn: row.turn });
    } catch (error) {
      // It has ended meanwhile: by itself, or since another prompt of its session was cancelled as well.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  private async takeBack(prompt: UnderWay): Promise<void> {
    if (prompt.unread === undefined) return;
    try {
      await this.ask('message/remove', { message: prompt.unread });
    } catch (error) {
      // It has been read meanwhile: its turn is interrupted. Or its session is gone, and that ends it.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  private async ended(prompt: UnderWay, turn: string): Promise<PromptResponse> {
    const last = await this.next(
      prompt,
      (event): event is EventOf<'turn_ended'> | EventOf<'question_asked'> | EventOf<'session_deleted'> =>
        event.type === 'session_deleted' ||
        (event.turn === turn &&
          (event.type === 'turn_ended' || (event.type === 'question_asked' && wantsWords(event.data)))),
    );
    if (last.type === 'session_deleted') return CANCELLED;
    if (last.type === 'question_asked') return { stopReason: 'end_turn' };
    const stopReason = stopReasonOf(last);
    if (stopReason === undefined)
      throw RequestError.internalError({ code: last.data.code }, last.data.detail ?? 'The turn failed.');
    return { stopReason };
  }

  /** The first event of its session that fits, heard already or to come. Rejects when the host ends. */
  private next<T extends BelayEvent>(
    { session, heard }: UnderWay,
    fits: (event: BelayEvent) => event is T,
  ): Promise<T> {
    const there = heard.find(fits);
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((resolve, reject) => {
      const look = (event: BelayEvent) => {
        if (event.session !== session || !fits(event)) return;
        this.waiters.delete(look);
        resolve(event);
      };
      this.waiters.add(look);
      // Without its host nothing more is told.
      void this.hostEnded.then(reject);
    });
  }
}

function stopReasonOf(ended: EventOf<'turn_ended'>): StopReason | undefined {
  if (ended.data.status === 'completed') return 'end_turn';
  if (ended.data.status === 'interrupted') return 'cancelled';
  switch (ended.data.code) {
    case 'round_limit':
    case 'budget_limit':
      return 'max_turn_requests';
    case 'model_output_limit':
      return 'max_tokens';
    case 'model_refused':
      return 'refusal';
    default:
      return undefined;
  }
}
