-- Version 1 of a store. $S stands for the schema. A step that was shipped is never changed: a change is another file.
CREATE TABLE $S.run (
  id text PRIMARY KEY,
  scenario text NOT NULL,
  -- When its first event happened; without one it is no run yet.
  born text,
  -- Events in its journal.
  length int NOT NULL DEFAULT 0,
  -- Grows with every change of its files.
  rev int NOT NULL DEFAULT 0,
  -- What lists say of it, as it was at so many events: a cache.
  about jsonb
);
CREATE INDEX run_newest ON $S.run (born DESC, id DESC);
-- The numbered files of a run: 'events' and 'spend'. An insert is the compare-and-swap; a writer knows its own row again.
CREATE TABLE $S.line (
  run text NOT NULL REFERENCES $S.run ON DELETE CASCADE,
  book text NOT NULL,
  seq int NOT NULL,
  body text NOT NULL,
  writer uuid NOT NULL,
  PRIMARY KEY (run, book, seq)
);
CREATE TABLE $S.file (
  run text NOT NULL REFERENCES $S.run ON DELETE CASCADE,
  path text NOT NULL,
  -- NULL: it was removed.
  digest text,
  bytes bigint NOT NULL,
  rev int NOT NULL,
  PRIMARY KEY (run, path)
);
CREATE INDEX file_news ON $S.file (run, rev);
CREATE TABLE $S.piece (
  run text NOT NULL REFERENCES $S.run ON DELETE CASCADE,
  digest text NOT NULL,
  number int NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (run, digest, number)
);
CREATE TABLE $S.attempt (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run text NOT NULL REFERENCES $S.run ON DELETE CASCADE,
  step text NOT NULL,
  -- Of its folder in wip/. A takeover is a new name, which locks the old owner out.
  name text NOT NULL,
  UNIQUE (run, step)
);
CREATE TABLE $S.answer (
  attempt bigint NOT NULL REFERENCES $S.attempt ON DELETE CASCADE,
  name text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (attempt, name)
);
