import { spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request as callHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AccountId, BrandId } from '#contract/ids.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { makeState, setState } from '#test/support/delivery-states.ts'
import { Post, PostDetail } from '#contract/posts.ts'
import { Video } from '#contract/videos.ts'
import { delivered, uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

const SCOPES = ['read', 'write', 'publish'] as const
const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url))
const VITE_CONFIG = fileURLToPath(new URL('vite.config.ts', import.meta.url))

let testServer: TestServer
let ada: Person
let brandId: BrandId
let nova: AccountId
let key: string
/** The folders of a user: what a command keeps, and the videos. */
let home: string

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'reelay-cli-'))
  testServer = await startTestServer({ worker: true })
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind, Ltd' } })).brand_id
  nova = (await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'nova' })).account_id
  const grumpy = {
    platform: 'tiktok',
    username: 'grumpy',
    fail_reasons: Array(20).fill('file_format_check_failed'),
  }
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', grumpy)
  await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'grumpy' })
  await linkAccount(ada, { platform: 'instagram', brandId, creator: 'atlas' })
  const body = { name: 'CI', scopes: [...SCOPES], expires_in_days: 90 }
  key = (await ada.call('createApiKey', { body })).secret
})
afterAll(async () => {
  await testServer.stop()
  rmSync(home, { recursive: true, force: true })
})

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }
type Run = {
  readonly ended: Promise<Ended>
  readonly err: () => string
  readonly kill: () => void
  /** Nobody reads the notes any more. */
  readonly closeErr: () => void
}

/** `machine`: what a command keeps is kept by machine. Without a log-in there, the key comes from the environment, as in CI. */
function start(
  args: readonly string[],
  {
    url = testServer.url,
    machine = 'laptop',
    input = '',
    loggedIn = false,
    secret = key,
    fullDisk = false,
  } = {},
): Run {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: path.join(home, machine, 'config'),
    XDG_STATE_HOME: path.join(home, machine, 'state'),
    ...(!loggedIn && { REELAY_URL: url, REELAY_API_KEY: secret }),
  }
  const full = fullDisk ? openSync('/dev/full', 'w') : null
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['pipe', full ?? 'pipe', 'pipe'] })
  if (full !== null) closeSync(full)
  let [out, err] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin?.end(input)
  return {
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err }))),
    err: () => err,
    kill: () => child.kill('SIGKILL'),
    closeErr: () => child.stderr?.destroy(),
  }
}
const run = (args: readonly string[], options: Parameters<typeof start>[1] = {}) => start(args, options).ended

const tryOut = (...args: string[]) => run(['post', ...args, '--to', '@nova', '--now', '--dry-run', '--json'])

async function saveVideo(bytes?: number): Promise<string> {
  const { file } = sampleVideo(bytes)
  const saved = path.join(home, file.name)
  writeFileSync(saved, Buffer.from(await file.arrayBuffer()))
  return saved
}

const readPost = (text: string): Post => Post.parse(JSON.parse(text))
const listPosts = async () => (await ada.call('listPosts', {})).items
const countVideos = async () => (await ada.call('listVideos', { query: { limit: 100 } })).videos.length

/** Between a command and the server: it loses what `lose` says, and tells `saw` of each part of a body that passes. */
async function startProxy({
  lose = () => null,
  saw = () => undefined,
}: {
  /** `redirect`: the answer of a network that asks for a log-in in the browser. */
  lose?: (asked: string) => 'request' | 'answer' | 'redirect' | null
  saw?: (asked: string, bytes: number) => unknown
}) {
  const asked: { readonly line: string; readonly headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request: IncomingMessage, reply: ServerResponse) => {
    const line = `${request.method} ${request.url}`
    asked.push({ line, headers: request.headers })
    const lost = lose(line)
    if (lost === 'request') return request.socket.destroy()
    const to = new URL(testServer.url)
    const { url, method, headers } = request
    const onward = callHttp(
      { hostname: to.hostname, port: to.port, path: url, method, headers },
      (answer) => {
        if (lost === 'redirect')
          return answer
            .resume()
            .once('end', () => reply.writeHead(302, { location: 'http://cafe.example/' }).end())
        if (lost === 'answer') return answer.resume().once('end', () => request.socket.destroy())
        reply.writeHead(answer.statusCode ?? 500, answer.headers)
        return answer.pipe(reply)
      },
    )
    onward.on('error', () => reply.destroy())
    request.on('close', () => request.complete || onward.destroy())
    request.on('data', (bytes: Buffer) => saw(line, bytes.length)).pipe(onward)
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

let proxies: { stop(): void }[] = []
afterEach(async () => {
  for (const proxy of proxies) proxy.stop()
  proxies = []
  await control(testServer.practiceUrl, 'DELETE', '/_control/faults')
})

describe('a log-in', () => {
  it('with a key is kept in a file of its user, and ends at log-out', async () => {
    const options = { machine: 'server', loggedIn: true }
    expect(await run(['accounts'], options)).toMatchObject({
      code: 3,
      err: expect.stringContaining('reelay login') as string,
    })
    const login = await run(['login', testServer.url, '--key-stdin'], { ...options, input: `${key}\n` })
    expect([login.code, login.err]).toEqual([0, expect.stringContaining(ada.email)])
    expect(login.out + login.err).not.toContain(key)
    const folder = path.join(home, 'server/config/reelay')
    const modes = [folder, ...readdirSync(folder).map((name) => path.join(folder, name))]
    expect(modes.map((file) => statSync(file).mode & 0o777)).toEqual([0o700, 0o600])
    expect((await run(['accounts'], options)).code).toBe(0)
    expect((await run(['logout'], options)).code).toBe(0)
    expect(readFileSync(modes[1] ?? '', 'utf8')).not.toContain(key)
    expect((await run(['accounts'], options)).code).toBe(3)
  })

  it('waits until its code is approved, and log-out revokes the key', async () => {
    const options = { machine: 'desk', loggedIn: true }
    const login = start(['login', testServer.url], options)
    await expect.poll(() => login.err()).toMatch(/confirm the code \S+/)
    const code = /confirm the code (\S+)/.exec(login.err())?.[1] ?? ''
    const request = { user_code: code }
    expect(await ada.call('getAuthorizationRequest', { body: { request } })).toMatchObject({
      device_name: hostname(),
    })
    await ada.call('approveAuthorization', { body: { request, scopes: ['read'] } })
    const { code: ended, err } = await login.ended
    expect([ended, err]).toEqual([0, expect.stringContaining(ada.email)])
    const count = async () => (await ada.call('listApiKeys', {})).length
    const keys = await count()
    expect((await run(['accounts'], options)).code).toBe(0)
    expect((await run(['logout'], options)).code).toBe(0)
    expect(await count()).toBe(keys - 1)
  })

  it('ends where its code is declined', async () => {
    const login = start(['login', testServer.url], { machine: 'desk', loggedIn: true })
    await expect.poll(() => login.err()).toMatch(/confirm the code \S+/)
    const code = /confirm the code (\S+)/.exec(login.err())?.[1] ?? ''
    await ada.call('declineAuthorization', { body: { request: { user_code: code } } })
    expect(await login.ended).toMatchObject({ code: 3, err: expect.stringContaining('refused') as string })
  })

  it('is refused with a key that the server does not know, and nothing is kept', async () => {
    const options = { machine: 'elsewhere', loggedIn: true }
    const wrong = { ...options, input: `reelay_${'a'.repeat(43)}` }
    expect((await run(['login', testServer.url, '--key-stdin'], wrong)).code).toBe(3)
    expect((await run(['accounts', '--json'], options)).out).toContain('"not_logged_in"')
  })
})

describe('lists', () => {
  it('are the replies of the API with --json, and tables without', async () => {
    const { out } = await run(['accounts', '--json'])
    expect(JSON.parse(out)).toEqual(await ada.call('listAccounts', {}))
    expect((await run(['accounts'])).out).toMatch(
      /^ID +ACCOUNT +PLATFORM +BRAND +STATE\n1 +@nova +TikTok +Northwind, Ltd +ready\n/,
    )
    for (const list of ['videos', 'drafts']) {
      const { code, out: json } = await run([list, '--json'])
      expect([code, JSON.parse(json)]).toEqual([0, expect.any(Object)])
    }
  })

  it("do not pass a stranger's control characters on to the terminal", async () => {
    const { db } = testServer.deps
    const evil = 'Eve\u001b]0;owned\u0007\u009b31m\u202e'
    await db
      .updateTable('accounts')
      .set({ display_name: evil, username: null })
      .where('account_id', '=', nova)
      .execute()
    const [plain, json] = await Promise.all([run(['accounts']), run(['accounts', '--json'])])
    await db
      .updateTable('accounts')
      .set({ display_name: 'Nova', username: 'nova' })
      .where('account_id', '=', nova)
      .execute()
    expect(plain.out).toContain('Eve]0;owned31m')
    expect(JSON.stringify(JSON.parse(json.out))).toContain(JSON.stringify(evil).slice(1, -1))
    for (const { out } of [plain, json]) expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  })
})

describe('a post', () => {
  it('is followed until it is published', async () => {
    const before = (await livePosts(testServer)).length
    const video = await saveVideo()
    const { code, out } = await run([
      'post',
      video,
      '--to',
      'tiktok:@nova',
      '--caption',
      'Lemon tart',
      '--now',
      '--wait',
      '--json',
    ])
    expect([code, PostDetail.parse(JSON.parse(out)).deliveries.map(({ status }) => status)]).toEqual([
      0,
      ['published'],
    ])
    expect(await livePosts(testServer)).toHaveLength(before + 1)
    const again = await run(['post', video, '--to', '@nova', '--caption', 'Lemon tart', '--now'])
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('--repeat')])
    expect(
      (await run(['post', video, '--to', '@nova', '--caption', 'Lemon tart', '--now', '--repeat'])).code,
    ).toBe(0)
  })

  it('ends with codes of their own if it failed on some or all accounts', async () => {
    const some = await run(['post', await saveVideo(), '--to', '@nova,@grumpy', '--now', '--wait'])
    expect([some.code, some.out]).toEqual([
      5,
      expect.stringMatching(/@nova on TikTok +published[^]*@grumpy on TikTok +failed +\w/),
    ])
    const all = await run(['post', await saveVideo(), '--to', '@grumpy', '--now', '--wait', '--json'])
    expect(all.code).toBe(6)
    const { post_id: postId } = readPost(all.out)
    const retried = await run(['retry', String(postId), '--wait', '--json'])
    expect([retried.code, PostDetail.parse(JSON.parse(retried.out)).deliveries[0]?.attempt]).toEqual([6, 2])
    expect((await run(['status', String(postId)])).code).toBe(6)
    const published = (await listPosts()).find(({ deliveries }) =>
      deliveries.every(({ status }) => status === 'published'),
    )
    expect((await run(['retry', String(published?.post_id)])).code).toBe(2)
  })

  it('ends with a code of its own while its outcome is unknown', async () => {
    const fault = { platform: 'instagram', call: 'publish', fault: 'drop_before' }
    await control(testServer.practiceUrl, 'POST', '/_control/faults', fault)
    const made = readPost((await run(['post', await saveVideo(), '--to', '@atlas', '--now', '--json'])).out)
    await delivered(ada, made, ['unconfirmed'])
    const { code, out } = await run(['status', String(made.post_id), '--wait', '--timeout', '1s'])
    expect([code, out]).toEqual([7, expect.stringContaining('unconfirmed')])
  })

  it('needs a day and an hour, or --now', async () => {
    const video = await saveVideo()
    const post = (...args: string[]) =>
      run(['post', video, '--to', '@nova', '--caption', 'Later', ...args, '--json'])
    const before = (await listPosts()).length
    const refused = [
      ['--at', '2030-12-24'],
      ['--at', 'tomorrow'],
      ['--at', '18:30'],
      ['--at', '2030-12-24T18:30Z'],
      ['--at', ''],
      [],
    ]
    for (const when of refused) {
      const { code, out, err } = await post(...when)
      expect([code, err, JSON.parse(out)]).toMatchObject([
        2,
        '',
        { error: { exit_code: 2, message: expect.stringMatching(/18:30/) as string } },
      ])
    }
    expect(await listPosts()).toHaveLength(before)
  })

  it('is scheduled in the zone of its brand, and its status says so', async () => {
    await ada.call('renameBrand', {
      body: { brand_id: brandId, title: 'Northwind, Ltd', timezone: 'Asia/Tokyo' },
    })
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    const made = await run([
      'post',
      await saveVideo(),
      '--to',
      'northwind, ltd',
      '--at',
      `${day} 18:30`,
      '--json',
    ])
    await ada.call('renameBrand', { body: { brand_id: brandId, title: 'Northwind, Ltd', timezone: null } })
    const post = readPost(made.out)
    expect([made.code, post.publish_at, post.timezone, post.deliveries.length]).toEqual([
      0,
      `${day}T09:30:00.000Z`,
      'Asia/Tokyo',
      3,
    ])
    expect((await run(['status', String(post.post_id)])).code).toBe(0)
    const waited = await run(['status', String(post.post_id), '--wait', '--timeout', '0.1s'])
    expect([waited.code, waited.out]).toEqual([8, expect.stringContaining('18:30 Asia/Tokyo')])
  })

  it('is refused with what to write where something is missing', async () => {
    const video = await saveVideo()
    const youtube = (await linkAccount(ada, { platform: 'youtube', brandId, creator: 'nova' })).account_id
    const post = (...args: string[]) => run(['post', video, '--caption', 'Tart', '--now', ...args])
    const several = await post('--to', '@nova')
    const unset = await post('--to', String(youtube))
    const set = ['youtube.privacy=unlisted', 'youtube.made_for_kids=false', 'youtube.title=2026'].flatMap(
      (option) => ['--option', option],
    )
    const tried = await post('--to', String(youtube), ...set, '--dry-run')
    const unknown = await post('--to', String(youtube), '--option', 'youtube.nonsense=1')
    await ada.call('unlinkAccount', { params: { accountId: youtube } })
    expect([several.code, several.err]).toEqual([2, expect.stringContaining(`youtube:@nova (${youtube})`)])
    expect([unset.code, unset.err]).toEqual([2, expect.stringContaining('--option youtube.made_for_kids=')])
    expect([tried.code, tried.out]).toEqual([0, expect.stringContaining('Nothing was posted')])
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('made_for_kids')])
    expect((await post('--to', '@nobody')).code).toBe(2)
  })
})

describe('exactly once', () => {
  it.each(['all accounts', 'one account'])(
    'a command killed before it learned of its post makes no second one, with a key for %s',
    async (reach) => {
      const limited = { limited_to: { account_ids: [nova] } }
      const body = {
        name: reach,
        scopes: [...SCOPES],
        expires_in_days: 1,
        ...(reach === 'one account' && limited),
      }
      const { secret } = await ada.call('createApiKey', { body })
      const video = await saveVideo()
      const args = ['post', video, '--to', '@nova', '--caption', 'Killed', '--now', '--json']
      const before = (await listPosts()).length
      let running: Run | null = null
      const proxy = await startProxy({
        lose: (line) => (running !== null && line === 'POST /api/v1/posts' ? 'answer' : null),
      })
      proxies.push(proxy)
      running = start(args, { url: proxy.url, secret })
      await expect.poll(async () => (await listPosts()).length).toBe(before + 1)
      running.kill()
      await running.ended
      running = null
      const again = await run(args, { url: proxy.url, secret })
      expect([again.code, again.err]).toEqual([0, expect.stringContaining('made by an earlier run')])
      expect(await listPosts()).toHaveLength(before + 1)
      const keys = proxy.asked.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
      expect([keys.length > 1, new Set(keys).size]).toEqual([true, 1])
      // It has been told of now: the same command again is another post, and that is refused.
      expect((await run(args, { url: proxy.url, secret })).code).toBe(2)
    },
  )

  it('the same command twice at the same moment makes one post', async () => {
    const first = await run(['post', await saveVideo(), '--to', '@nova', '--now', '--dry-run'])
    expect(first.code).toBe(0)
    const [video] = (await ada.call('listVideos', {})).videos
    const before = (await listPosts()).length
    const args = ['post', String(video?.video_id), '--to', '@nova', '--caption', 'Both', '--now', '--json']
    const both = await Promise.all([run(args), run(args)])
    expect(await listPosts()).toHaveLength(before + 1)
    // One that is late finds the post of the other, and is refused.
    expect(both.map(({ code }) => code)).toContain(0)
    for (const { code } of both) expect([0, 2]).toContain(code)
  })

  it('two commands that send the same file at the same moment make one post', async () => {
    const [posts, videos] = [(await listPosts()).length, await countVideos()]
    const args = ['post', await saveVideo(), '--to', '@atlas', '--now', '--repeat', '--wait', '--json']
    const both = await Promise.all([run(args), run(args)])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect([(await listPosts()).length, await countVideos()]).toEqual([posts + 1, videos + 1])
  })

  it('a reference makes one post of two machines at the same moment', async () => {
    const before = (await listPosts()).length
    const args = ['post', await saveVideo(), '--to', '@nova', '--now', '--reference', 'Both', '--json']
    const both = await Promise.all([run(args), run(args, { machine: 'other' })])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(await listPosts()).toHaveLength(before + 1)
  })

  it('a file that changes while it is sent is not posted', async () => {
    const video = await saveVideo(8 * 1024 * 1024)
    const before = (await listPosts()).length
    const proxy = await startProxy({ saw: (line) => line.startsWith('PATCH') && appendFileSync(video, 'x') })
    proxies.push(proxy)
    const { code, err } = await run(['post', video, '--to', '@nova', '--now'], { url: proxy.url })
    expect([code, err]).toEqual([2, expect.stringContaining('was changed while it was sent')])
    expect(await listPosts()).toHaveLength(before)
  })

  it("a redirect in the place of the post's answer does not make a second post", async () => {
    let isFirst = true
    const proxy = await startProxy({
      lose: (line) => {
        if (line !== 'POST /api/v1/posts' || !isFirst) return null
        isFirst = false
        return 'redirect'
      },
    })
    proxies.push(proxy)
    const before = (await listPosts()).length
    const args = ['post', await saveVideo(), '--to', '@nova', '--now', '--repeat']
    const first = await run(args, { url: proxy.url })
    expect([first.code, first.err]).toEqual([4, expect.stringContaining('http://cafe.example/')])
    expect((await run(args, { url: proxy.url })).code).toBe(0)
    expect(await listPosts()).toHaveLength(before + 1)
  })

  it.runIf(existsSync('/dev/full'))('an answer that cannot be written is told by the next run', async () => {
    const before = (await listPosts()).length
    const args = ['post', await saveVideo(), '--to', '@nova', '--now', '--repeat', '--json']
    expect((await run(args, { fullDisk: true })).code).toBe(1)
    const again = await run(args)
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('made by an earlier run')])
    expect(await listPosts()).toHaveLength(before + 1)
  })

  it('a wait that is ended while an answer is lost goes on with the same post', async () => {
    const fault = { platform: 'instagram', call: 'publish', fault: 'drop_before' }
    await control(testServer.practiceUrl, 'POST', '/_control/faults', fault)
    const args = ['post', await saveVideo(), '--to', '@atlas', '--now', '--repeat', '--wait']
    const wait = () => run([...args, '--timeout', '0s', '--json'])
    const made = await wait()
    await delivered(ada, readPost(made.out), ['unconfirmed'])
    for (const { code, out } of [await wait(), await wait()])
      expect([code, readPost(out).post_id]).toEqual([7, readPost(made.out).post_id])
  })

  it('a command killed while it waits goes on waiting for the same post', async () => {
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    const args = [
      'post',
      await saveVideo(),
      '--to',
      '@nova',
      '--at',
      `${day} 10:00`,
      '--wait',
      '--timeout',
      '1s',
      '--json',
    ]
    const proxy = await startProxy({})
    proxies.push(proxy)
    const first = start(args, { url: proxy.url })
    await expect.poll(() => proxy.asked.some(({ line }) => line.startsWith('GET /api/v1/posts/'))).toBe(true)
    first.kill()
    await first.ended
    const count = (await listPosts()).length
    const [second, third] = [await run(args, { url: proxy.url }), await run(args, { url: proxy.url })]
    expect([second.code, third.code, readPost(third.out).post_id]).toEqual([
      8,
      8,
      readPost(second.out).post_id,
    ])
    expect(await listPosts()).toHaveLength(count)
  })

  it('a reference makes one post on whatever machine, and its file is sent once', async () => {
    const video = await saveVideo()
    const args = ['post', video, '--to', '@nova', '--now', '--reference', 'CMS 12/3 – Tarte', '--json']
    const [posts, videos] = [(await listPosts()).length, await countVideos()]
    const runs = [
      await run(args),
      await run(args, { machine: 'other' }),
      await run(args, { machine: 'third' }),
    ]
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(new Set(runs.map(({ out }) => readPost(out).post_id)).size).toBe(1)
    expect([await listPosts(), await countVideos()]).toEqual([
      expect.objectContaining({ length: posts + 1 }),
      videos + 1,
    ])
    const changed = await run([...args, '--caption', 'Another'], { machine: 'other' })
    expect([changed.code, changed.out]).toEqual([2, expect.stringContaining('key_reused')])
    const other = await run(['post', await saveVideo(), ...args.slice(2)])
    expect([other.code, other.out]).toEqual([2, expect.stringContaining('another video')])
  })

  it('a retry leaves what may be live since before a restore to a person', async () => {
    const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 16)
    const at = { local: inAMonth, timezone: 'UTC' }
    const { video_id } = await uploadVideo(ada)
    const post = await ada.call('createPost', {
      body: { video_id, text: 'Held', targets: [{ account_id: nova }], publish_at: at },
    })
    const now = Date.now()
    const held = makeState('blocked', now, { cause: 'restored', dueAt: now, reason: REASONS.restored })
    await setState(testServer, { post_id: post.post_id }, held)
    const retried = await run(['retry', String(post.post_id)])
    expect([retried.code, retried.err]).toEqual([2, expect.stringContaining('may be live')])
    const [delivery] = (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries
    expect(delivery?.cause).toBe('restored')
  })

  it('a reference that another program has used makes no second post', async () => {
    const file = await saveVideo()
    const body = new FormData()
    body.append('file', new File([readFileSync(file)], 'tart.mp4'))
    const { video_id } = Video.parse(await (await ada.request('/videos', { method: 'POST', body })).json())
    const made = await ada.call('createPost', {
      body: { video_id, text: 'Tart', reference: 'cms/7', targets: [{ account_id: nova }] },
    })
    const count = (await listPosts()).length
    const args = ['post', file, '--to', '@nova', '--now', '--reference', 'cms/7', '--json', '--caption']
    const [same, other] = [await run([...args, 'Tart']), await run([...args, 'Another'])]
    expect([same.code, readPost(same.out).post_id]).toEqual([0, made.post_id])
    expect([other.code, other.out]).toEqual([2, expect.stringContaining('key_reused')])
    expect(await listPosts()).toHaveLength(count)
  })

  it('an upload that was killed goes on where it stopped', async () => {
    const bytes = 24 * 1024 * 1024
    const args = ['post', await saveVideo(bytes), '--to', '@nova', '--now', '--json']
    const videos = await countVideos()
    let running: Run | null = null
    let sent = 0
    const proxy = await startProxy({
      saw: (line, more) => {
        if (line.startsWith('PATCH')) sent += more
        if (sent > bytes / 2) running?.kill()
      },
    })
    proxies.push(proxy)
    running = start(args, { url: proxy.url })
    expect((await running.ended).code).toBe(null)
    running = null
    const [unfinished] = (await ada.call('listUploads', {})).items
    const again = await run(args, { url: proxy.url })
    expect(again.code).toBe(0)
    const count = (method: string) =>
      proxy.asked.filter(({ line }) => line.startsWith(`${method} /api/v1/uploads`)).length
    expect([count('POST'), await countVideos()]).toEqual([1, videos + 1])
    const last = proxy.asked.findLast(({ line }) => line.startsWith('PATCH'))
    expect(Number(last?.headers['upload-offset'])).toBeGreaterThan(0)
    expect(Number(last?.headers['upload-offset'])).toBeGreaterThanOrEqual(unfinished?.offset ?? Infinity)
    expect(readPost(again.out).video.size).toBe(bytes)
  })

  it('an upload that the server no longer has begins again', async () => {
    const args = ['post', await saveVideo(24 * 1024 * 1024), '--to', '@nova', '--now', '--json']
    let running: Run | null = null
    const proxy = await startProxy({ saw: (line) => line.startsWith('PATCH') && running?.kill() })
    proxies.push(proxy)
    running = start(args, { url: proxy.url })
    await running.ended
    running = null
    const { items } = await ada.call('listUploads', {})
    const headers = { 'tus-resumable': '1.0.0' }
    for (const { upload_id: id } of items) await ada.request(`/uploads/${id}`, { method: 'DELETE', headers })
    expect(items.length).toBeGreaterThan(0)
    expect((await run(args, { url: proxy.url })).code).toBe(0)
  })

  it('a lost answer of every call is made good', async () => {
    const asked = new Set<string>()
    const proxy = await startProxy({
      // Of each call the first answer is lost.
      lose: (line) => {
        if (asked.has(line)) return null
        asked.add(line)
        return 'answer'
      },
    })
    proxies.push(proxy)
    const before = (await listPosts()).length
    const args = ['post', await saveVideo(), '--to', '@nova', '--now', '--wait', '--json']
    const { code, out } = await run(args, { url: proxy.url })
    expect([code, readPost(out).deliveries[0]?.status]).toEqual([0, 'published'])
    expect(await listPosts()).toHaveLength(before + 1)
  })
})

describe('ends that scripts can tell', () => {
  it('are kept where nobody reads the notes', async () => {
    const unread = start(['status', '999999999'])
    unread.closeErr()
    expect((await unread.ended).code).toBe(2)
  })

  it('name a text and an id that cannot be read', async () => {
    const text = path.join(home, 'text.txt')
    writeFileSync(text, Buffer.from('\ufeffLemon\r\ntart\r\n'))
    const windows = await tryOut(await saveVideo(), '--caption-file', text)
    expect(JSON.parse(windows.out)).toMatchObject({ targets: [{ text: 'Lemon\ntart' }] })
    writeFileSync(text, Buffer.from('\ufeffLemon tart', 'utf16le'))
    const refused = [
      await tryOut(await saveVideo(), '--caption-file', text),
      await tryOut(await saveVideo(), '--caption-file', home),
      await tryOut('0'),
      await tryOut('9'.repeat(20)),
    ]
    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  })

  it('are in the help and in the documentation', async () => {
    const { out } = await run(['--help'])
    const documented = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')
    const codes = [...out.matchAll(/^ {2}(\d) {2}(\w.*)$/gm)].map(([, code, means]) => `${code} ${means}`)
    const rows = [...documented.matchAll(/^\| (\d) \| (\w.*) \|$/gm)].map(
      ([, code, means]) => `${code} ${means}`,
    )
    expect([rows, rows.length]).toEqual([codes, 10])
  })

  it('name an unknown command, a server that is away and a key that was revoked', async () => {
    const unknown = await run(['nonsense', '--json'])
    expect([unknown.code, JSON.parse(unknown.out)]).toMatchObject([2, { error: { code: 'usage' } }])
    const proxy = await startProxy({})
    proxy.stop()
    const away = await run(['status', '1', '--json'], { url: proxy.url })
    expect([away.code, JSON.parse(away.out)]).toMatchObject([4, { error: { code: 'unreachable' } }])
    const body = { name: 'old', scopes: ['read' as const], expires_in_days: 1 }
    const old = await ada.call('createApiKey', { body })
    const saved = { machine: 'old', loggedIn: true }
    await run(['login', testServer.url, '--key-stdin'], { ...saved, input: old.secret })
    const weak = await run(['post', await saveVideo(), '--to', '@nova', '--now', '--json'], saved)
    expect([weak.code, weak.out]).toEqual([3, expect.stringContaining('lacks the right `write`')])
    await ada.call('deleteApiKey', { params: { keyId: old.key.key_id } })
    expect((await run(['accounts'], saved)).code).toBe(3)
  })
})

it('the built file runs alone, without packages and sources', async () => {
  const outDir = path.join(home, 'built')
  await build({ configFile: VITE_CONFIG, logLevel: 'silent', build: { outDir } })
  const command = spawn(process.execPath, [path.join(outDir, 'reelay.mjs'), '--version'], { cwd: home })
  command.stderr.pipe(process.stderr)
  expect(await readAll(command.stdout)).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(readdirSync(outDir).toSorted()).toEqual(['licenses.md', 'package.json', 'reelay.mjs'])
})

describe('the doctor', () => {
  it('finds nothing wrong, and an account to link again, without a name or a secret', async () => {
    const Found = z.object({
      checks: z.array(z.object({ check: z.string(), state: z.string(), message: z.string() })),
    })
    const healthy = await run(['doctor', '--json'])
    expect(healthy.code).toBe(0)
    expect(Found.parse(JSON.parse(healthy.out)).checks.filter(({ state }) => state === 'failed')).toEqual([])
    const { db } = testServer.deps
    await db
      .updateTable('accounts')
      .set({ relink_reason: 'Expired' })
      .where('account_id', '=', nova)
      .execute()
    const ill = await run(['doctor'])
    await db.updateTable('accounts').set({ relink_reason: null }).where('account_id', '=', nova).execute()
    const away = await run(['doctor'], { url: 'http://secret-host.invalid:4433' })
    expect([away.code, away.out]).toEqual([4, expect.stringMatching(/failed +server /)])
    expect(away.out).not.toContain('secret-host')
    expect(healthy.out).toContain('may read, write, publish')
    expect([ill.code, ill.out]).toEqual([
      9,
      expect.stringMatching(/warning +accounts .*1 must be linked again/),
    ])
    for (const text of [healthy.out, ill.out])
      for (const secret of [key, ada.email, 'nova', 'Northwind', new URL(testServer.url).host])
        expect(text).not.toContain(secret)
  })
})

it.each(['bash', 'zsh', 'fish'])('completion for %s has every command and its options', async (shell) => {
  const { code, out } = await run(['completion', shell])
  expect(code).toBe(0)
  for (const word of ['login', 'post', 'doctor', 'reference', 'key-stdin']) expect(out).toContain(word)
})
