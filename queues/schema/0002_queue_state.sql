-- What a person told a queue, where it differs from the configuration. Never edit this file once it has been released.

CREATE TABLE queue_state (
    queue  TEXT PRIMARY KEY,
    paused INTEGER NOT NULL CHECK (paused IN (0, 1))
) STRICT, WITHOUT ROWID;
