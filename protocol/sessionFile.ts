/** A session as a file: what was said and done in it, to read elsewhere and to go on with. */
import { z } from 'zod';
import { EventData, type BelayEvent, type DataOf, type EventType } from './events';
import { At } from './ids';
import { PlannedCall } from './model';
import { Agent, Mode } from './session';

/** Events that tell what was said and done in a turn. What waits or runs is not told: it stays with its session. */
export const TOLD = [
  'turn_started',
  'message_read',
  'message_completed',
  'usage_recorded',
  'calls_planned',
  'tool_started',
  'tool_completed',
  'call_lifted',
  'lifted_ended',
  'handle_started',
  'handle_ended',
  'note_told',
  'compacted',
  'model_retry',
  'agent_resumed',
  'agent_work_killed',
  'turn_ended',
] as const satisfies readonly EventType[];

/** Turns and events that a file may hold: a session of years has fewer. */
export const FILE_TURNS = 100_000;
const EVENTS_A_TURN = 100_000;

const ToldEvent = z
  .object({
    at: At,
    type: z.enum(TOLD),
    data: z.unknown(),
    /** With `message_completed`: the calls as the model wrote them. */
    calls: z.array(PlannedCall).optional(),
  })
  .transform((told, context) => {
    const data = EventData[told.type].safeParse(told.data);
    if (data.success) return { ...told, data: data.data };
    context.addIssue({ code: 'custom', message: `The data of a ${told.type} is not right.` });
    return z.NEVER;
  });
export type ToldEvent = {
  readonly at: number;
  readonly type: (typeof TOLD)[number];
  readonly data: BelayEvent['data'];
  readonly calls?: readonly PlannedCall[] | undefined;
};

export const isTold = <T extends ToldEvent['type']>(
  event: Pick<ToldEvent, 'type' | 'data'>,
  type: T,
): event is ToldEvent & { readonly type: T; readonly data: DataOf<T> } => event.type === type;

/**
 * `told` of a turn begins with `turn_started`; without a `turn_ended` the turn was at work when the file was made, and
 * is imported as broken off. A turn without `told` is left out.
 */
export const SessionFileTurn = z.object({ told: z.array(ToldEvent).max(EVENTS_A_TURN).optional() });
export type SessionFileTurn = z.infer<typeof SessionFileTurn>;

/** A file but for its turns, which are read one by one. */
export const SessionFileHead = z.object({
  version: z.literal(1),
  session: z.object({
    title: z.string().max(256),
    agent: Agent,
    mode: Mode,
  }),
  turns: z.array(z.unknown()).max(FILE_TURNS),
});
export type SessionFileHead = z.infer<typeof SessionFileHead>;
