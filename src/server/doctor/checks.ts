import { sql } from 'kysely'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { checkSetup } from '#platforms/registry.ts'
import { findLastBackup } from '../backup/last-backup.ts'
import { readDiskRoom } from '../storage/disk-room.ts'
import type { CheckRow, DoctorDeps, Found } from './check.ts'
import { formatAge, formatBytes } from './format.ts'
import {
  checkAddress,
  checkBody,
  checkCertificate,
  checkFromOutside,
  checkMedia,
  readDate,
} from './requests.ts'

const GOING_LIVE = 'docs/going-live.md'
const OPERATING = 'docs/operating.md'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Every check of the server. `npm run doctor`, the screen of operators and the badge in their menu show what it finds. */
export const CHECKS: readonly CheckRow[] = [
  checkRow('process', 'This process', `${OPERATING}#health`, checkProcess),
  checkRow('database', 'Database', `${OPERATING}#more-than-one-machine`, checkDatabase),
  checkRow('workers', 'Workers', `${OPERATING}#health`, checkWorkers),
  checkRow('due', 'Posts that are due', `${OPERATING}#health`, checkDue),
  checkRow('clock', 'Clock', null, checkClock),
  checkRow('disk', 'Disk', `${OPERATING}#limits`, checkDisk),
  checkRow('backup', 'Backups', `${OPERATING}#backups`, checkBackup),
  checkRow('mail', 'Mail', `${GOING_LIVE}#an-address`, checkMail),
  checkRow('address', 'Public address', `${GOING_LIVE}#an-address`, checkAddress),
  checkRow('outside', 'Reachable from outside', `${GOING_LIVE}#is-all-well`, checkFromOutside),
  checkRow('certificate', 'Certificate', `${GOING_LIVE}#the-proxy`, checkCertificate),
  checkRow('body', 'Large uploads', `${GOING_LIVE}#the-proxy`, checkBody),
  checkRow('media', 'Videos for platforms', `${GOING_LIVE}#the-proxy`, checkMedia),
  ...PLATFORM_IDS.map((id) =>
    checkRow(id, PLATFORM_NAMES[id], GOING_LIVE, (deps) => checkPlatform(deps, id)),
  ),
  { ...checkRow('links', 'Linked accounts', null, checkLinks), owner: 'user' },
]

function checkRow(id: string, title: string, link: string | null, run: CheckRow['run']): CheckRow {
  return { id, title, owner: 'operator', link, run }
}

const well = (sentence: string): Found[] => [{ severity: 'ok', sentence, remedy: null, link: null }]

/** The same answer as `/readyz`. */
async function checkProcess({ health, config }: DoctorDeps): Promise<Found[]> {
  const { status, reason } = await health.getReadiness()
  const held: Found[] = config.hold
    ? [
        {
          severity: 'warning',
          sentence: 'It was started with --hold: nothing is posted, mailed or renewed.',
          remedy: 'Restart it without --hold once everything looks right.',
        },
      ]
    : []
  if (status === 'ok')
    return held.length > 0 ? held : well('The database and the storage of the videos can be written.')
  return [
    ...held,
    {
      severity: status === 'failing' ? 'error' : 'warning',
      sentence: reason ?? 'It cannot do its work.',
      remedy: 'See that the database runs, and that the disks have room and can be written.',
    },
  ]
}

export async function readDatabase(db: Db): Promise<{ version: string; bytes: number }> {
  const { rows } = await sql<{ version: string; bytes: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes`.execute(
    db,
  )
  const [{ version, bytes } = { version: '', bytes: 0 }] = rows
  // Debian's has more words.
  return { version: version.split(' ')[0] ?? '', bytes }
}

async function checkDatabase({ db }: DoctorDeps): Promise<Found[]> {
  const { version, bytes } = await readDatabase(db)
  const { rows } = await sql<{ used: number; most: number }>`
    select (select count(*) from pg_stat_activity)::int as used, current_setting('max_connections')::int as most`.execute(
    db,
  )
  const [{ used, most } = { used: 0, most: 1 }] = rows
  const size = `PostgreSQL ${version}, ${formatBytes(bytes)}`
  if (used > 0.9 * most)
    return [
      {
        severity: 'warning',
        sentence: `${size}. ${used} of its ${most} connections are used.`,
        remedy: 'Raise max_connections, or put a pooler in front.',
        link: `${OPERATING}#a-connection-pooler`,
      },
    ]
  return well(`${size}.`)
}

/** Longer than the time between two heartbeats. */
const SILENT_MS = 5 * MINUTE_MS

async function checkWorkers({ db, now }: DoctorDeps): Promise<Found[]> {
  const { seen_at: seen } = await db
    .selectFrom('worker_heartbeat')
    .select('seen_at')
    .executeTakeFirstOrThrow()
  if (seen === null)
    return [
      {
        severity: 'error',
        sentence: 'No worker has ever looked for posts that are due.',
        remedy: 'Start a process with ROLE=worker, or one without ROLE.',
      },
    ]
  const age = now() - seen.getTime()
  const silent = await db
    .selectFrom('server_processes')
    .select(['host', 'seen_at'])
    .where('role', '<>', 'web')
    .where('seen_at', '<', new Date(now() - SILENT_MS))
    .execute()
  if (age <= SILENT_MS && silent.length > 0)
    return silent.map(({ host, seen_at }) => ({
      severity: 'warning',
      sentence: `The worker on ${host} has been silent for ${formatAge(now() - seen_at.getTime())}. Others do its work.`,
      remedy:
        'See if it was killed, or cannot reach the database. A day after its last sign it leaves this list.',
    }))
  if (age <= SILENT_MS) return well(`A worker looked for due posts ${formatAge(age)} ago.`)
  return [
    {
      severity: 'error',
      sentence: `No worker has looked for due posts for ${formatAge(age)}: nothing goes out.`,
      remedy: 'Start a process with ROLE=worker, or one without ROLE, and read its log.',
    },
  ]
}

/** Counting ends here: only the order of magnitude matters. */
export const COUNTED_MAX = 1000

/** Deliveries that no worker has taken although their time has come. */
export async function readDue(db: Db, now: number): Promise<{ waiting: number; oldest: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
    select count(*)::int as waiting, min(wake_at) as oldest from (
      select wake_at from deliveries
      where wake_at <= ${new Date(now)} and state in ('scheduled', 'preparing') and platform = any(${[...PLATFORM_IDS]})
        and (leased_until is null or leased_until <= ${new Date(now)})
      order by wake_at limit ${COUNTED_MAX}) due`.execute(db)
  return rows[0] ?? { waiting: 0, oldest: null }
}

async function checkDue({ db, now }: DoctorDeps): Promise<Found[]> {
  const { waiting, oldest } = await readDue(db, now())
  const age = oldest === null ? 0 : now() - oldest.getTime()
  if (oldest === null) return well('Nothing waits for a worker.')
  const count = waiting === COUNTED_MAX ? `${waiting} or more` : String(waiting)
  const sentence = `${count} ${waiting === 1 ? 'waits' : 'wait'} for a worker, the oldest for ${formatAge(age)}.`
  if (age <= SILENT_MS) return well(sentence)
  return [
    {
      severity: age > 3 * SILENT_MS ? 'error' : 'warning',
      sentence,
      remedy: 'See that workers run. If they are busy all the time, start another one.',
    },
  ]
}

const CLOCK_MS = 5_000

/** Posts go by the database's clock; people and platforms by the real one. */
async function checkClock({ now, config }: DoctorDeps): Promise<Found[]> {
  const own = Date.now() - now()
  const found: Found[] = []
  if (Math.abs(own) > CLOCK_MS)
    found.push({
      severity: 'warning',
      sentence: `The clocks of this machine and of the database differ by ${formatAge(Math.abs(own))}. Posts go by the database's.`,
      remedy: 'Let both machines set their clocks by NTP.',
    })
  for (const id of PLATFORM_IDS) {
    const platform = config.platforms[id]
    if (platform.mode !== 'live') continue
    const date = await readDate(platform.apiUrl)
    if (date === null)
      found.push({
        severity: 'error',
        sentence: `${PLATFORM_NAMES[id]} cannot be reached from this machine.`,
        remedy: 'See that its firewall and name server let it reach the internet.',
      })
    else if (Math.abs(date - now()) > 2 * CLOCK_MS)
      found.push({
        severity: 'error',
        sentence: `The database's clock differs by ${formatAge(Math.abs(date - now()))} from that of ${PLATFORM_NAMES[id]}: posts go out at wrong times.`,
        remedy: "Let the database's machine set its clock by NTP.",
      })
  }
  return found.length > 0 ? found : well('The clocks agree.')
}

const GROWTH_DAYS = 30
const FULL_SOON_DAYS = 14

async function checkDisk(deps: DoctorDeps): Promise<Found[]> {
  const { storage, config } = deps
  const [room, growth] = await Promise.all([storage.room(), readGrowth(deps)])
  const grows = `${formatBytes(growth)} came in ${GROWTH_DAYS} days`
  const found: Found[] = []
  if (config.databaseUrl === null && (await readDiskRoom(config.dataDir)) <= 0)
    found.push({
      severity: 'error',
      sentence: `The disk of ${config.dataDir}, which holds the database, is nearly full.`,
      remedy: 'Make room before the database stops.',
    })
  if (room === Infinity) return found.length > 0 ? found : well(`Videos are in a bucket; ${grows}.`)
  const days = growth === 0 ? Infinity : Math.floor((room / growth) * GROWTH_DAYS)
  const left = `${formatBytes(Math.max(0, room))} are left for videos; ${grows}`
  if (room <= 0)
    found.push({
      severity: 'error',
      sentence: 'The disk of the videos is nearly full: uploads are refused.',
      remedy: 'Make room, or let MEDIA_RETENTION_DAYS delete videos that have been posted.',
    })
  else if (days <= FULL_SOON_DAYS)
    found.push({
      severity: 'warning',
      sentence: `${left}: it will be full in about ${days} days.`,
      remedy: 'Make room, or let MEDIA_RETENTION_DAYS delete videos that have been posted.',
    })
  return found.length > 0 ? found : well(`${left}.`)
}

/** The size of the videos that came within `GROWTH_DAYS`. */
export async function readGrowth({ db, now }: Pick<DoctorDeps, 'db' | 'now'>): Promise<number> {
  const row = await db
    .selectFrom('videos')
    .select((eb) => eb.fn.sum<string | null>('size').as('bytes'))
    .where('created_at', '>', new Date(now() - GROWTH_DAYS * DAY_MS))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

async function checkBackup({ db, config, now }: DoctorDeps): Promise<Found[]> {
  const nightly = config.backupDir !== null
  const { status, made, failure } = await findLastBackup(db, { nightly, now: now() })
  const last =
    made === null
      ? 'No backup was made yet.'
      : `The last backup was made, and read back, ${formatAge(now() - made.at.getTime())} ago.`
  const isLive = PLATFORM_IDS.some((id) => config.platforms[id].mode === 'live')
  switch (status) {
    case 'ok':
      return well(last)
    case 'off':
      return [
        {
          severity: isLive ? 'warning' : 'note',
          sentence: `Reelay makes no backups at night. ${last}`,
          remedy: 'Set BACKUP_DIR to a folder on another disk, or a bucket.',
        },
      ]
    case 'failing':
      return [
        {
          severity: 'error',
          sentence: `The nightly backup failed: ${failure?.message ?? ''} ${last}`,
          remedy: "It is tried again each hour. A worker's log says more.",
        },
      ]
    case 'old':
      return [
        {
          severity: 'error',
          sentence: last,
          remedy: 'See that a worker runs at night, or run npm run backup.',
        },
      ]
  }
}

/** After this time a mail has been tried several times. */
const MAIL_STUCK_MS = 10 * MINUTE_MS

/** Mails that were tried and not taken, of both outboxes. */
export async function readMails(db: Db): Promise<{ waiting: number; failing: number; oldest: Date | null }> {
  const { rows } = await sql<{ waiting: number; failing: number; oldest: Date | null }>`
    select count(*)::int as waiting, count(*) filter (where attempts > 1)::int as failing,
      min(since) filter (where attempts > 1) as oldest
    from (select attempts, requested_at as since from identity_mail_requests
      union all select attempts, created_at from outbox where kind = 'mail' and stage <> 'gathering') mails`.execute(
    db,
  )
  return rows[0] ?? { waiting: 0, failing: 0, oldest: null }
}

async function checkMail({ db, config, now }: DoctorDeps): Promise<Found[]> {
  const isHosted = config.identity.mode === 'firebase'
  if (config.smtpUrl === null)
    return [
      {
        severity: config.production ? 'warning' : 'note',
        sentence: isHosted
          ? 'No mail server is set: users get no notifications by mail.'
          : 'No mail server is set: mails with links stay in a folder of the server, and notifications are not mailed.',
        remedy: 'Set SMTP_URL and MAIL_FROM, then send a test mail.',
      },
    ]
  const { failing, oldest } = await readMails(db)
  if (oldest !== null && now() - oldest.getTime() > MAIL_STUCK_MS)
    return [
      {
        severity: 'error',
        sentence: `The mail server has not taken ${failing === 1 ? 'a mail' : `${failing} mails`}, the oldest for ${formatAge(now() - oldest.getTime())}.`,
        remedy: 'Send a test mail: it says what the mail server answers.',
      },
    ]
  return well('The mail server takes mails.')
}

async function checkPlatform(
  { db, config, now }: DoctorDeps,
  id: (typeof PLATFORM_IDS)[number],
): Promise<Found[]> {
  const platform = config.platforms[id]
  const name = PLATFORM_NAMES[id]
  if (platform.mode === 'off') return well(`${name} is not set up.`)
  if (platform.mode === 'practice') return well(`Posts go to the practice ${name}.`)
  const { rows } = await sql<{ accounts: number }>`
    select count(distinct external_id)::int as accounts from accounts a where platform = ${id} and exists (
      select from deliveries d where d.account_id = a.account_id and d.state = 'published'
        and d.ended_at > ${new Date(now() - DAY_MS)})`.execute(db)
  const accountsToday = rows[0]?.accounts ?? 0
  const { people: peopleLinked } = await db
    .selectFrom('accounts')
    .select(sql<number>`count(distinct coalesce(grant_owner_id, external_id))::int`.as('people'))
    .where('platform', '=', id)
    .where('unlinked_at', 'is', null)
    .executeTakeFirstOrThrow()
  const { redirectUri } = platform
  const found = checkSetup(config.platforms, id, { redirectUri, accountsToday, peopleLinked })
  if (found.length > 0) return found
  const posted = accountsToday === 1 ? '1 account was' : `${accountsToday} accounts were`
  return well(`${posted} posted to in the last 24 hours. The redirect address is ${platform.redirectUri}`)
}

async function checkLinks({ db }: DoctorDeps): Promise<Found[]> {
  const { accounts, users } = await db
    .selectFrom('accounts')
    .select((eb) => [
      eb.fn.countAll<number>().as('accounts'),
      eb.fn.count<number>('user_id').distinct().as('users'),
    ])
    .where('relink_reason', 'is not', null)
    .where('unlinked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (accounts === 0) return well('All linked accounts can be used.')
  return [
    {
      severity: 'note',
      sentence: `${accounts} linked ${accounts === 1 ? 'account' : 'accounts'} of ${users} ${users === 1 ? 'user' : 'users'} must be linked again. Their users have been told.`,
      remedy: null,
    },
  ]
}
