-- Jobs, what they say about themselves, and who did what. Never edit this file once it has been released: add the next number.
-- States and events are kept as words, so that the file can be read with the sqlite3 shell.

CREATE TABLE job (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
    state         TEXT NOT NULL CHECK (state IN ('pending', 'pending-held', 'processing', 'processing-stopped',
                                                 'canceled', 'aborted', 'completed')),
    reason        TEXT NOT NULL,
    queue         TEXT NOT NULL,
    title         TEXT NOT NULL,
    user          TEXT NOT NULL,
    host          TEXT NOT NULL,
    door          TEXT NOT NULL,
    spool_file    TEXT NOT NULL,
    size_bytes    INTEGER NOT NULL CHECK (size_bytes >= 0),
    hold          INTEGER NOT NULL CHECK (hold IN (0, 1)),
    hold_reason   TEXT NOT NULL,
    result_bytes  INTEGER NOT NULL CHECK (result_bytes >= 0),
    sent_bytes    INTEGER NOT NULL CHECK (sent_bytes >= 0),
    sending_begun INTEGER NOT NULL CHECK (sending_begun IN (0, 1)),
    attempts      INTEGER NOT NULL,
    created_ms    INTEGER NOT NULL,  -- milliseconds since 1970-01-01 UTC, as all *_ms
    changed_ms    INTEGER NOT NULL,
    not_before_ms INTEGER NOT NULL
) STRICT;

-- A restart reads the unfinished jobs only, however many years of finished ones there are.
CREATE INDEX job_unfinished ON job (id)
    WHERE state IN ('pending', 'pending-held', 'processing', 'processing-stopped');
CREATE INDEX job_finished ON job (queue, id)
    WHERE state IN ('canceled', 'aborted', 'completed');

CREATE TABLE job_message (
    job_id   INTEGER NOT NULL REFERENCES job (id),
    position INTEGER NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_event (
    id     INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job (id),
    event  TEXT NOT NULL,
    actor  TEXT NOT NULL,
    at_ms  INTEGER NOT NULL
) STRICT;

CREATE INDEX job_event_of_job ON job_event (job_id, id);
