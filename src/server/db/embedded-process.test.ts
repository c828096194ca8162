import { expect, test } from 'vitest'
import { findCause } from './embedded-process.ts'

const log = (...lines: string[]) => lines.map((line) => `2026-11-21 10:00:00.123 UTC [77] ${line}\n`).join('')

test.each([
  [
    'a full disk that ends the recovery',
    log(
      'LOG:  database system was interrupted; last known up at 2026-11-21 09:59:00 UTC',
      'FATAL:  the database system is starting up',
      'PANIC:  could not write to file "pg_wal/xlogtemp.30": No space left on device',
      'LOG:  startup process (PID 30) was terminated by signal 6: Aborted',
      'LOG:  aborting startup due to startup process failure',
      'LOG:  database system is shut down',
    ),
    'could not write to file "pg_wal/xlogtemp.30": No space left on device',
  ],
  [
    'a lock file',
    log(
      'FATAL:  lock file "postmaster.pid" already exists',
      'HINT:  Is another postmaster (PID 12) running in data directory "/data/cluster"?',
    ),
    'lock file "postmaster.pid" already exists',
  ],
  [
    'permissions',
    log(
      'FATAL:  data directory "/data/cluster" has invalid permissions',
      'DETAIL:  Permissions should be u=rwx (0700) or u=rwx,g=rx (0750).',
    ),
    'data directory "/data/cluster" has invalid permissions',
  ],
  [
    'plain sentences, before its log works',
    'postgres: could not find the database system\nExpected to find it in the directory "/d", but could not open file "/d/global/pg_control": No such file or directory\n',
    'postgres: could not find the database system Expected to find it in the directory "/d", but could not open file "/d/global/pg_control": No such file or directory',
  ],
  [
    'initdb on a full disk',
    'initdb: error: could not write file "/d/PG_VERSION": No space left on device\ninitdb: removing contents of data directory "/d"\n',
    'could not write file "/d/PG_VERSION": No space left on device',
  ],
  ['nothing', '', ''],
])('the cause is found: %s', (_, said, cause) => expect(findCause(said)).toBe(cause))
