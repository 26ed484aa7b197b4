import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenedStore } from '../../host/store/contract';
import { migrations } from '../../host/store/migrations';
import { openStore } from '../../host/store/store';
import { OPEN, OPEN_OF_SESSION } from '../../host/store/tables/approvals';
import { OPEN_CALLS, OPEN_STEPS, ROUND } from '../../host/store/tables/calls';
import { OF_SESSION as CHANGES_OF_SESSION } from '../../host/store/tables/changes';
import {
  NEWEST_COMPACTION,
  OF_SESSION,
  OF_SESSION_BEFORE,
  OF_TURN,
  PAGE_OF_TURN,
  SAID_WITH,
} from '../../host/store/tables/events';
import { BY_STATE, NEWEST_ENDED } from '../../host/store/tables/handles';
import { UNREAD } from '../../host/store/tables/messages';
import {
  OPEN_FOR_PERSONS,
  OPEN_QUESTIONS,
  OPEN_QUESTIONS_OF_SESSION,
} from '../../host/store/tables/questions';
import { COPY_BLOBS, LAST_COPIED, SIZES } from '../../host/store/tables/copies';
import { BY_STATUS, COPY_OF, LAST, NEXT as NEXT_TURN } from '../../host/store/tables/turns';
import { REMOVALS, UNLISTINGS } from '../../host/store/tables/unlisted';
import { HandClock, quiet, wasm } from './support';

/** Every list that is read often, and the index that it is read by. None may scan a table or sort. */
const PINNED: readonly (readonly [string, string, string])[] = [
  ['what waits for a verdict', OPEN, 'approvals_open'],
  ['what waits for a verdict in one session (L14)', OPEN_OF_SESSION, 'approvals_open_session'],
  ['what waits for an answer', OPEN_QUESTIONS, 'questions_open'],
  ['what waits for a person’s answer', OPEN_FOR_PERSONS, 'questions_open'],
  ['what waits for an answer in one session (L14)', OPEN_QUESTIONS_OF_SESSION, 'questions_open_session'],
  ['unread messages of a session', UNREAD, 'messages_unread'],
  ['unfinished turns', BY_STATUS, 'turns_open'],
  ['the newest turn of a session', LAST, 'turns_session'],
  ['the copy of a turn in a fork', COPY_OF, 'turns_origin'],
  ['calls of the newest answer', ROUND, 'calls_round'],
  ['steps of a call without a result', OPEN_STEPS, 'calls_steps_open'],
  ['calls without a result', OPEN_CALLS, 'calls_open'],
  ['handles that have not ended', BY_STATE, 'handles_open'],
  ['events of a session', OF_SESSION, 'events_session'],
  ['events of a session backwards', OF_SESSION_BEFORE, 'events_session'],
  ['the newest compaction of a session (T7)', NEWEST_COMPACTION, 'events_compacted'],
  ['events of a turn', OF_TURN, 'events_turn'],
  ['a piece of the events of a turn', PAGE_OF_TURN, 'events_turn'],
  ['the next turn of a session', NEXT_TURN, 'turns_session'],
  ['the last copied event of a session', LAST_COPIED, 'events_session'],
  ['the sizes of a turn’s next events', SIZES, 'events_turn'],
  ['files that were changed in a session', CHANGES_OF_SESSION, 'changes_session'],
];

describe('query plans', () => {
  let dir: string;
  let opened: OpenedStore;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'belay-plans-'));
    opened = await openStore({ dir, migrations, wasm, clock: new HandClock(), log: quiet });
  });
  after(async () => {
    await opened.store.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  for (const [what, sql, index] of PINNED)
    it(`D6 ${what} are read by ${index}`, () => {
      const plan = opened.store.explain(sql);
      assert.ok(
        plan.some((line) => new RegExp(`USING (COVERING )?INDEX ${index}\\b`).test(line)),
        plan.join('\n'),
      );
      assert.deepEqual(
        plan.filter((line) => /^SCAN (?!CONSTANT)/.test(line) && !line.includes(index)),
        [],
      );
      assert.deepEqual(
        plan.filter((line) => line.includes('TEMP B-TREE')),
        [],
        plan.join('\n'),
      );
    });

  it('D1 a session is deleted by indices, and its pictures are forked by one: no table is read through', () => {
    for (const sql of [...UNLISTINGS, ...REMOVALS, COPY_BLOBS]) {
      const plan = opened.store.explain(sql);
      const scans = plan.filter((line) => line.startsWith('SCAN') && line !== 'SCAN rules');
      assert.deepEqual(scans, [], `${sql}\n${plan.join('\n')}`);
    }
  });

  it('D6 the newest handles that have ended are read by their numbers, from the newest on', () => {
    const plan = opened.store.explain(NEWEST_ENDED).join('\n');
    assert.match(plan, /SEARCH handles USING INTEGER PRIMARY KEY/);
    assert.doesNotMatch(plan, /TEMP B-TREE/);
  });

  it('D6 a search reads the events of its piece alone, by their numbers', () => {
    assert.match(opened.store.explain(SAID_WITH).join('\n'), /SEARCH events USING INTEGER PRIMARY KEY/);
  });
});
