-- What operators may say to jobs and queues, and who said it. Never edit this file once it has been released.

ALTER TABLE job ADD COLUMN priority INTEGER NOT NULL DEFAULT 50;
ALTER TABLE job ADD COLUMN rank     INTEGER NOT NULL DEFAULT 0;   -- before priority and age; topq gives the lowest
ALTER TABLE job ADD COLUMN note     TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN cause    TEXT NOT NULL DEFAULT 'submit';  -- event that brought it into its state
ALTER TABLE job ADD COLUMN cause_by TEXT NOT NULL DEFAULT 'system';
ALTER TABLE job ADD COLUMN since_ms INTEGER NOT NULL DEFAULT 0;
UPDATE job SET since_ms = changed_ms,
    cause = coalesce((SELECT event FROM job_event WHERE job_id = job.id ORDER BY id DESC LIMIT 1), cause),
    cause_by = coalesce((SELECT actor FROM job_event WHERE job_id = job.id ORDER BY id DESC LIMIT 1), cause_by);

ALTER TABLE job_event ADD COLUMN detail TEXT NOT NULL DEFAULT '';

CREATE TABLE queue_order (
    queue TEXT NOT NULL,
    word  TEXT NOT NULL,  -- paused, accepting, hold_new: value yes or no; redirect: value is a queue's name
    value TEXT NOT NULL,
    actor TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (queue, word)
) STRICT, WITHOUT ROWID;
INSERT INTO queue_order SELECT queue, 'paused', iif(paused, 'yes', 'no'), 'system', 0 FROM queue_state;
DROP TABLE queue_state;
