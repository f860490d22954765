-- What became of each picture a job asked for. Never edit this file once it has been released.

CREATE TABLE job_reference (
    job_id     INTEGER NOT NULL REFERENCES job (id),
    printing   INTEGER NOT NULL,  -- 0: the present one, 1: the one before the last redo
    position   INTEGER NOT NULL,
    page       INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    asked      TEXT NOT NULL,
    search     TEXT NOT NULL,
    file       TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    device     INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    width_px   INTEGER NOT NULL,
    height_px  INTEGER NOT NULL,
    ppi        TEXT NOT NULL,
    colour     TEXT NOT NULL,
    crop       TEXT NOT NULL,
    bytes      INTEGER NOT NULL,
    problem    TEXT NOT NULL,
    PRIMARY KEY (job_id, printing, position)
) STRICT, WITHOUT ROWID;
