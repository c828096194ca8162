// `npm run drills -- [NAME …]`: what happens to a server in its life, with 30 deliveries each time, and what the platforms
// then have. As root on Linux; some need Debian's nginx-light, caddy and libfaketime.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine } from '../journeys/machines/machine.ts'
import { mountSmallDisk } from '../support/disk/small-disk.ts'
import { makeCluster } from '../support/database/cluster.ts'
import { freePort } from '../support/ports/free-port.ts'
import { startS3 } from '../support/s3-server.ts'
import { until } from '../support/test-server.ts'
import { openStage, type Outcome, type Stage } from './stage.ts'

type Drill = (stage: Stage) => Promise<void>

const web = (stage: Stage, port = stage.publicPort, more = {}) =>
  stage.machine(`web ${port}`, { ROLE: 'web', PORT: String(port), ...more })
const worker = (stage: Stage, name = 'worker', more = {}) => stage.machine(name, { ROLE: 'worker', ...more })

/** One web server and one worker, and a person who may post. */
async function small(stage: Stage, more = {}): Promise<{ site: Machine; hand: Machine }> {
  const [site, hand] = [web(stage, stage.publicPort, more), worker(stage, 'worker', more)]
  await site.start()
  await hand.start()
  await stage.begin()
  return { site, hand }
}

async function again(times: number, machine: Machine, end: 'kill' | 'stop'): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await machine[end]()
    await machine.start()
    await sleep(3_000)
  }
}

/** Two web servers behind a proxy that passes on each request, restarted in turn while somebody posts. */
const rolling =
  (proxy: (stage: Stage, ports: readonly number[]) => Promise<void>): Drill =>
  async (stage) => {
    const ports = [await freePort(), await freePort()]
    const sites = ports.map((port) => web(stage, port))
    const hands = [worker(stage, 'worker 1'), worker(stage, 'worker 2')]
    await Promise.all([...sites, ...hands].map((one) => one.start()))
    await proxy(stage, ports)
    await until('the proxy', () =>
      fetch(`${stage.publicUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    await stage.begin()
    await stage.postAll(async () => {
      for (const one of [...sites, ...hands]) await again(1, one, 'stop')
    })
  }

function run(stage: Stage, program: string, ...args: readonly string[]): void {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  stage.undo.push(() => child.kill('SIGTERM'))
}

async function nginx(stage: Stage, ports: readonly number[]): Promise<void> {
  const file = path.join(stage.dir, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; pid ${stage.dir}/nginx.pid; error_log ${stage.dir}/nginx.log;
events {}
http {
  access_log off;
  client_body_temp_path ${stage.dir}/nginx-body; proxy_temp_path ${stage.dir}/nginx-proxy;
  fastcgi_temp_path ${stage.dir}/nginx-f; uwsgi_temp_path ${stage.dir}/nginx-u; scgi_temp_path ${stage.dir}/nginx-s;
  upstream reelay { ${ports.map((port) => `server 127.0.0.1:${port};`).join(' ')} }
  server {
    listen 127.0.0.1:${stage.publicPort};
    proxy_http_version 1.1;
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header Connection "";
    client_max_body_size 4g;
    proxy_request_buffering off;
    location / { proxy_pass http://reelay; }
  }
}
`,
  )
  run(stage, 'nginx', '-c', file)
}

async function caddy(stage: Stage, ports: readonly number[]): Promise<void> {
  const file = path.join(stage.dir, 'Caddyfile')
  await writeFile(
    file,
    `{
	admin off
}
http://127.0.0.1:${stage.publicPort} {
	reverse_proxy ${ports.map((port) => `127.0.0.1:${port}`).join(' ')} {
		health_uri /readyz
		health_interval 2s
		lb_try_duration 5s
	}
}
`,
  )
  run(stage, 'caddy', 'run', '--config', file, '--adapter', 'caddyfile')
}

/** The disk of the videos fills, or cannot be written, for half a minute. */
const disk =
  (kind: 'full' | 'read-only'): Drill =>
  async (stage) => {
    const small_disk = mountSmallDisk(200)
    if (small_disk === null) throw new Error('Nothing can be mounted here: run this as root.')
    stage.undo.push(() => small_disk.remove())
    await small(stage, { STORAGE_URL: `file://${small_disk.dir}` })
    const remount = (how: string) => spawnSync('mount', ['-o', `remount,${how}`, small_disk.dir]).status === 0
    await stage.postAll(async () => {
      if (kind === 'full') small_disk.fill()
      else await until('no file being written', () => Promise.resolve(remount('ro')))
      await sleep(30_000)
      if (kind === 'full') small_disk.free()
      else remount('rw')
    })
  }

/** A backup is made while posts wait, the server goes on and is lost in the middle, and another starts from the backup. */
const restored =
  (database: 'external' | 'embedded'): Drill =>
  async (stage) => {
    const { site, hand } = await small(stage)
    await hand.kill()
    await stage.postAll()
    const folder = path.join(stage.dir, 'backups')
    await stage.command('backup', {}, folder)
    await hand.start()
    await until('half of the posts', async () => (await stage.live()).length >= 15)
    await Promise.all([site.kill(), hand.kill()])

    const own: Record<string, string> = {
      DATA_DIR: path.join(stage.dir, 'other machine'),
      STORAGE_URL: `file://${path.join(stage.dir, 'other media')}`,
      XDG_STATE_HOME: path.join(stage.dir, 'other state'),
      PORT: String(stage.publicPort),
    }
    if (database === 'embedded') own['DATABASE_URL'] = ''
    else own['DATABASE_URL'] = await stage.otherDatabase()
    await stage.command('restore', own, folder)
    const other = stage.machine('other machine', own)
    await other.start()
    const before = (await stage.live()).length
    await sleep(15_000)
    const [now, held] = [await stage.live(), await stage.deliveries()]
    if (now.length !== before || held.some(({ status }) => status !== 'blocked'))
      throw new Error('Something went out by itself after the restore.')
    for (const { delivery_id: deliveryId, text, platform } of held)
      if (now.some((one) => one.text === text && one.platform === platform))
        await stage.person().call('resolveDelivery', { params: { deliveryId }, body: { outcome: 'live' } })
      else await stage.person().call('retryDelivery', { params: { deliveryId } })
  }

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

const DRILLS: Readonly<Record<string, Drill>> = {
  async 'kill -9 of the worker, five times'(stage) {
    const { hand } = await small(stage)
    await stage.postAll(() => again(5, hand, 'kill'))
  },
  async 'kill -9 of the web server, four times'(stage) {
    const { site } = await small(stage)
    await stage.postAll(() => again(4, site, 'kill'))
  },
  async 'database gone for 60 s'(stage) {
    await small(stage)
    await stage.postAll(() => stage.databaseGone(60_000))
  },
  async 'bucket gone for 60 s'(stage) {
    const s3 = await startS3()
    stage.undo.push(() => s3.stop())
    const { endpoint, bucket } = s3.config
    await small(stage, { ...s3.env, STORAGE_URL: `s3://${bucket}/videos?endpoint=${endpoint}` })
    await stage.postAll(async () => {
      await s3.down()
      await sleep(60_000)
      await s3.up()
    })
  },
  'disk of the videos full for 30 s': disk('full'),
  'disk of the videos read-only for 30 s': disk('read-only'),
  'rolling restart behind nginx': rolling(nginx),
  'rolling restart behind Caddy': rolling(caddy),
  async 'SECRET_KEY changed meanwhile'(stage) {
    const { site, hand } = await small(stage)
    const { SECRET_KEY: old } = stage.env
    const fresh = randomBytes(32).toString('hex')
    const restart = async (name: string, key: string, before: readonly Machine[]) => {
      const next = [
        web(stage, stage.publicPort, { SECRET_KEY: key }),
        worker(stage, `worker ${name}`, { SECRET_KEY: key }),
      ]
      for (const [nth, one] of next.entries()) {
        await before[nth]?.stop()
        await one.start()
      }
      return next
    }
    await stage.postAll(async () => {
      const first = await restart('1', `${old},${fresh}`, [site, hand])
      const second = await restart('2', `${fresh},${old}`, first)
      await stage.command('keys', { SECRET_KEY: `${fresh},${old}` }, 're-encrypt')
      await restart('3', fresh, second)
    })
  },
  'restored on another machine, database external': restored('external'),
  'restored on another machine, database embedded': restored('embedded'),
  async "worker's clock two hours ahead, then two behind"(stage) {
    if (!existsSync(FAKETIME)) throw new Error('Install libfaketime.')
    const { hand } = await small(stage)
    const at = (offset: string) =>
      worker(stage, `worker ${offset}`, {
        LD_PRELOAD: FAKETIME,
        FAKETIME: offset,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      })
    const [ahead, behind] = [at('+2h'), at('-2h')]
    await stage.postAll(async () => {
      await hand.kill()
      await ahead.start()
      await sleep(8_000)
      await ahead.kill()
      await behind.start()
    })
  },
  async 'three backups meanwhile'(stage) {
    await small(stage)
    await stage.postAll(async () => {
      for (let time = 0; time < 3; time += 1)
        await stage.command('backup', {}, path.join(stage.dir, 'backups'))
    })
  },
  async 'platforms answer 500 and 502, also after they carried it out'(stage) {
    for (const [platform, calls] of [
      ['tiktok', ['init', 'final_chunk', 'status']],
      ['instagram', ['create', 'container', 'publish']],
    ] as const)
      for (const call of calls) {
        await stage.fault({ platform, call, fault: 'status_500', times: 3 })
        await stage.fault({ platform, call, fault: 'html_502', times: 2, after: 5 })
      }
    await stage.fault({
      platform: 'instagram',
      call: 'publish',
      fault: 'status_500_after',
      times: 2,
      after: 8,
    })
    await small(stage)
    await stage.postAll()
  },
  async 'platforms are slow and cut their answers'(stage) {
    await stage.fault({ platform: 'instagram', call: 'publish', fault: 'drop_after', times: 2 })
    await stage.fault({
      platform: 'instagram',
      call: 'publish',
      fault: 'slow',
      ms: 20_000,
      times: 2,
      after: 3,
    })
    await stage.fault({ platform: 'tiktok', call: 'final_chunk', fault: 'drop_after', times: 2 })
    await stage.fault({ platform: 'tiktok', call: 'init', fault: 'slow', ms: 20_000, times: 2, after: 2 })
    await small(stage)
    await stage.postAll()
  },
  async 'platforms gone for 60 s'(stage) {
    await small(stage)
    await stage.postAll(() => stage.platformsGone(60_000))
  },
  async 'worker asleep for 45 s, beside another'(stage) {
    const { hand } = await small(stage)
    const other = worker(stage, 'worker 2')
    await other.start()
    await stage.postAll(async () => {
      hand.freeze()
      await sleep(45_000)
      hand.resume()
    })
  },
}

const chosen = process.argv.slice(2)
const names = Object.keys(DRILLS).filter(
  (name) => chosen.length === 0 || chosen.some((part) => name.includes(part)),
)
const removeCluster = await makeCluster()
let failures = 0
console.log('| Drill | Deliveries | Live | Doubled | Lost | Untrue | States | Calls refused | Seconds |')
console.log('|---|---|---|---|---|---|---|---|---|')
for (const name of names) {
  const begun = Date.now()
  const told = await play(DRILLS[name])
  console.log(`| ${name} | ${told} | ${Math.round((Date.now() - begun) / 1000)} |`)
}
await removeCluster()
process.exit(failures > 0 ? 1 : 0)

async function play(drill: Drill | undefined): Promise<string> {
  if (drill === undefined) throw new Error('There is no such drill.')
  const stage = await openStage()
  try {
    await drill(stage)
    const outcome = await stage.outcome()
    if (outcome.doubled + outcome.lost + outcome.untrue > 0) failures += 1
    return row(outcome)
  } catch (error) {
    failures += 1
    return `**${error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error)}** | | | | | | `
  } finally {
    await stage.close()
  }
}

function row({ deliveries, live, doubled, lost, untrue, states, refused }: Outcome): string {
  const said = Object.entries(states).map(([state, count]) => `${count} ${state}`)
  if (process.env['VERBOSE'] !== undefined) for (const each of refused) console.error(`  ${each}`)
  return [deliveries, live, doubled, lost, untrue, said.join(', '), refused.length].join(' | ')
}
