import type { Migration } from '../contract';

/**
 * The first schema. Ids count up and are never used again. Hot lists (unread, open, unfinished) have partial
 * indices, so that they cost what they hold and not what has ever been (D6).
 */
export const first: Migration = {
  version: 1,
  up: (q) => {
    q.script(`
      CREATE TABLE sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL, folder TEXT NOT NULL, agent TEXT NOT NULL, mode TEXT NOT NULL,
        instructions TEXT NOT NULL, archived INTEGER NOT NULL DEFAULT 0, turn INTEGER,
        note TEXT NOT NULL DEFAULT '', usage TEXT NOT NULL,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, text TEXT NOT NULL, images TEXT NOT NULL, context TEXT NOT NULL,
        delivery TEXT NOT NULL, state TEXT NOT NULL, client_id TEXT, turn INTEGER, step INTEGER,
        place INTEGER NOT NULL, at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX messages_unread ON messages (session, place) WHERE state = 'accepted';
      CREATE UNIQUE INDEX messages_client ON messages (session, client_id) WHERE client_id IS NOT NULL;

      CREATE TABLE turns (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, status TEXT NOT NULL, phase TEXT NOT NULL, code TEXT, detail TEXT,
        cause TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, folder TEXT NOT NULL,
        rounds INTEGER NOT NULL DEFAULT 0, lifting INTEGER NOT NULL DEFAULT 0, usage TEXT NOT NULL,
        started_at INTEGER NOT NULL, ended_at INTEGER
      ) STRICT;
      CREATE INDEX turns_session ON turns (session, id);
      CREATE INDEX turns_open ON turns (status, id) WHERE ended_at IS NULL;

      CREATE TABLE calls (
        id INTEGER PRIMARY KEY,
        turn INTEGER NOT NULL, call TEXT NOT NULL, session INTEGER NOT NULL, parent TEXT,
        step INTEGER NOT NULL, place INTEGER NOT NULL, tool TEXT NOT NULL, title TEXT NOT NULL,
        status TEXT NOT NULL, asks TEXT, prepared TEXT NOT NULL, failed INTEGER NOT NULL DEFAULT 0,
        handle INTEGER, started_at INTEGER, deadline INTEGER
      ) STRICT;
      CREATE UNIQUE INDEX calls_turn ON calls (turn, call);
      CREATE INDEX calls_round ON calls (turn, step, place);
      CREATE INDEX calls_parent ON calls (turn, parent, place) WHERE parent IS NOT NULL;
      CREATE INDEX calls_deadline ON calls (deadline) WHERE asks = 'handles';

      CREATE TABLE waits (
        handle INTEGER NOT NULL, turn INTEGER NOT NULL, call TEXT NOT NULL,
        PRIMARY KEY (handle, turn, call)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX waits_call ON waits (turn, call);

      CREATE TABLE approvals (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, turn INTEGER NOT NULL, call TEXT NOT NULL, parent TEXT,
        request INTEGER NOT NULL, handle INTEGER, state TEXT NOT NULL, folder TEXT NOT NULL,
        why TEXT NOT NULL, offers TEXT NOT NULL, asked_at INTEGER NOT NULL, lapses_at INTEGER,
        by TEXT, reason TEXT, answered_at INTEGER, place INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX approvals_call ON approvals (turn, call);
      CREATE INDEX approvals_open ON approvals (place) WHERE state = 'open';
      CREATE INDEX approvals_open_session ON approvals (session, place) WHERE state = 'open';

      CREATE TABLE questions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, turn INTEGER NOT NULL, call TEXT NOT NULL, parent TEXT,
        handle INTEGER, state TEXT NOT NULL, tool TEXT NOT NULL, title TEXT NOT NULL, args TEXT NOT NULL,
        asked_at INTEGER NOT NULL, lapses_at INTEGER, owner TEXT, answer TEXT, by TEXT,
        answered_at INTEGER, place INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX questions_call ON questions (turn, call);
      CREATE INDEX questions_open ON questions (place) WHERE state = 'open';
      CREATE INDEX questions_open_session ON questions (session, place) WHERE state = 'open';

      CREATE TABLE handles (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, turn INTEGER NOT NULL, call TEXT NOT NULL, kind TEXT NOT NULL,
        title TEXT NOT NULL, folder TEXT NOT NULL, lifted INTEGER NOT NULL, state TEXT NOT NULL,
        waits_for TEXT, started_at INTEGER NOT NULL, ended_at INTEGER, end TEXT, exit_code INTEGER,
        signal TEXT, ran INTEGER NOT NULL, result TEXT
      ) STRICT;
      CREATE INDEX handles_open ON handles (state, id) WHERE ended_at IS NULL;
      CREATE INDEX handles_session ON handles (session, id);

      CREATE TABLE reports (
        id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn INTEGER NOT NULL, handle INTEGER NOT NULL,
        text TEXT NOT NULL
      ) STRICT;
      CREATE INDEX reports_session ON reports (session, id);

      CREATE TABLE rules (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        effect TEXT NOT NULL, scope TEXT NOT NULL, session INTEGER, match TEXT NOT NULL,
        label TEXT NOT NULL, created_at INTEGER NOT NULL, by TEXT NOT NULL
      ) STRICT;
      CREATE INDEX rules_scope ON rules (scope, session);

      CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, turn INTEGER NOT NULL, call TEXT NOT NULL, parent TEXT, handle INTEGER,
        tool TEXT NOT NULL, title TEXT NOT NULL, why TEXT NOT NULL, rule TEXT, decision TEXT, by TEXT,
        asked_at INTEGER NOT NULL, decided_at INTEGER, started_at INTEGER, ended_at INTEGER,
        ran INTEGER NOT NULL DEFAULT 0, outcome TEXT
      ) STRICT;
      CREATE INDEX audit_call ON audit (turn, call);
      CREATE INDEX audit_session ON audit (session, id);

      CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL, session INTEGER, turn INTEGER, type TEXT NOT NULL, data TEXT NOT NULL, hidden TEXT
      ) STRICT;
      CREATE INDEX events_session ON events (session, seq);
      CREATE INDEX events_turn ON events (turn, seq);

      CREATE TABLE kept (
        turn INTEGER NOT NULL, call TEXT NOT NULL, name TEXT NOT NULL, session INTEGER NOT NULL,
        blob TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (turn, call, name)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE blobs (
        id TEXT NOT NULL, session INTEGER NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (id, session, turn)
      ) STRICT;
      CREATE INDEX blobs_turn ON blobs (session, turn);

      CREATE TABLE host (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    `);
  },
};
