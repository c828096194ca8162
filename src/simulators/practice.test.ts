import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPractice } from './practice.ts'
import {
  createClient,
  initBody,
  linkInstagram,
  linkTikTok,
  paddedVideo,
  putChunk,
  start,
  tempDir,
  tiktokPost,
  until,
  type Client,
} from './test-client.ts'

const main = join(import.meta.dirname, 'main.ts')

describe('pages', () => {
  let client: Client
  const mailboxDir = tempDir()
  beforeAll(async () => {
    client = await start()
  })
  afterAll(() => client.close())
  const page = async (path: string): Promise<string> => (await fetch(client.url + path)).text()

  test('the feed says that it is empty and offers a sample video', async () => {
    expect(await page('/')).toContain('Nothing posted yet')
    const sample = await fetch(`${client.url}/sample.mp4`)
    expect(sample.headers.get('content-disposition')).toContain('attachment')
    expect((await sample.arrayBuffer()).byteLength).toBeLessThan(600_000)
  })

  test('a posted video is shown with its text escaped, and plays from any place', async () => {
    const { access_token } = await linkTikTok(client)
    const video = paddedVideo(200_000)
    const { data } = await tiktokPost(
      client,
      access_token,
      'video/init',
      initBody(video.length, video.length, 1, { title: '<b>Hi</b>' }),
    )
    await putChunk(data.upload_url, video, 0, video.length - 1)
    const [post] = await until(client.posts, (posts) => posts.length === 1)
    expect(await page('/')).toContain('&lt;b&gt;Hi&lt;/b&gt;')
    expect((await fetch(post?.url ?? '')).status).toBe(200)
    const part = await fetch(`${client.url}/videos/${post?.sha256}`, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/200000'])
    expect(Buffer.from(await part.arrayBuffer())).toEqual(video.subarray(10, 20))
  })

  test('mails left in the folder can be read, with their links', async () => {
    const practice = await startPractice({ port: 0, dir: tempDir(), mailboxDir })
    const mail = {
      to: 'a@b.c',
      from: 'r@x.y',
      subject: 'Reset <now>',
      text: 'Open http://localhost:4400/x?a=1&b=2.',
      at: new Date().toISOString(),
    }
    writeFileSync(join(mailboxDir, '1-a.json'), JSON.stringify(mail))
    const list = await (await fetch(`${practice.url}/mailbox`)).text()
    expect(list).toContain('<a href="/mailbox/1-a.json">Reset &lt;now&gt;</a>')
    expect(list).toContain('To a@b.c')
    const shown = await (await fetch(`${practice.url}/mailbox/1-a.json`)).text()
    expect(shown).toContain('href="http://localhost:4400/x?a=1&amp;b=2"')
    expect(await (await fetch(`${practice.url}/_control/mails`)).json()).toMatchObject([mail])
    await practice.close()
  })
})

describe('control', () => {
  let client: Client
  beforeAll(async () => {
    client = await start()
  })
  afterAll(() => client.close())

  test('every call is in the ledger, with its account and status', async () => {
    await linkInstagram(client)
    expect(await client.calls()).toMatchObject([
      { platform: 'instagram', call: 'authorize', account: null, status: 200 },
      { call: 'authorize', account: 'nova', status: 302 },
      { call: 'token', account: 'nova', status: 200 },
      { call: 'exchange', account: 'nova', status: 200 },
    ])
  })

  test('a fault skips the given calls, occurs the given number of times, then ends', async () => {
    const { access_token } = await linkTikTok(client)
    await client.control('POST', '/faults', {
      platform: 'tiktok',
      call: 'creator_info',
      fault: 'status_500',
      after: 1,
      times: 2,
    })
    const codes: number[] = []
    for (let n = 0; n < 4; n += 1)
      codes.push((await tiktokPost(client, access_token, 'creator_info/query', {})).status)
    expect(codes).toEqual([200, 500, 500, 200])
    expect(await client.control('GET', '/faults')).toEqual([])
  })

  test('token_expired ends the token itself', async () => {
    const { access_token } = await linkTikTok(client)
    await client.control('POST', '/faults', {
      platform: 'tiktok',
      call: 'creator_info',
      fault: 'token_expired',
    })
    for (let n = 0; n < 2; n += 1) {
      const answer = await tiktokPost(client, access_token, 'creator_info/query', {})
      expect(answer).toMatchObject({ status: 401, error: { code: 'access_token_invalid' } })
    }
  })

  test('a misspelt setting is refused', async () => {
    await expect(
      client.control('POST', '/faults', { platform: 'tiktok', call: 'init', fault: 'drop' }),
    ).rejects.toThrow('drop_before')
    await expect(client.control('POST', '/settings', { nonsense: 1 })).rejects.toThrow('no setting')
    await expect(
      client.control('POST', '/accounts', { platform: 'tiktok', username: 'x', privat: true }),
    ).rejects.toThrow('private')
    for (const change of [{}, { advance_s: 1e15 }, { advance_s: -1e308 }])
      await expect(client.control('POST', '/clock', change)).rejects.toThrow('advance_s')
    expect(await client.control('POST', '/clock', { advance_s: 0 })).toHaveProperty('now')
  })

  test('a creator can be added, and forgetting everything brings the first three back', async () => {
    await client.control('POST', '/accounts', { platform: 'tiktok', username: 'luna', private: true })
    await client.control('DELETE', '')
    const { tiktok } = (await client.control('GET', '/accounts')) as { tiktok: { username: string }[] }
    expect(tiktok.map(({ username }) => username)).toEqual(['nova', 'atlas', 'quiet'])
    expect(await client.posts()).toEqual([])
  })
})

describe('the process', () => {
  test('a kill in the middle of an upload loses nothing that was accepted', async () => {
    const dir = tempDir()
    const video = paddedVideo(12_000_000)
    const first = await run(dir)
    const { access_token } = await linkTikTok(first.client)
    const { data } = await tiktokPost(
      first.client,
      access_token,
      'video/init',
      initBody(video.length, 6_000_000),
    )
    expect((await putChunk(data.upload_url, video, 0, 5_999_999)).status).toBe(206)
    await first.kill()

    const second = await run(dir)
    const uploadUrl = data.upload_url.replace(first.client.url, second.client.url)
    expect(
      (await tiktokPost(second.client, access_token, 'status/fetch', { publish_id: data.publish_id })).data
        .uploaded_bytes,
    ).toBe(6_000_000)
    expect((await putChunk(uploadUrl, video, 6_000_000, 11_999_999)).status).toBe(201)
    const before = await until(second.client.posts, (posts) => posts.length === 1)
    await second.kill()

    const third = await run(dir)
    expect((await third.client.posts()).map(({ sha256 }) => sha256)).toEqual(
      before.map(({ sha256 }) => sha256),
    )
    await third.kill()
  })

  test('it ends with its parent', async () => {
    const child = fork(main, ['--port', '0', '--dir', tempDir()], { silent: true })
    await once(child, 'message')
    child.disconnect()
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('a signal ends it cleanly', async () => {
    const child = fork(main, ['--port', '0', '--dir', tempDir()], { silent: true })
    await once(child, 'message')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('a taken port is one line and exit code 1', async () => {
    const client = await start()
    const child = spawn(process.execPath, [main, '--port', String(client.port), '--dir', tempDir()])
    let errors = ''
    child.stderr.on('data', (part: Buffer) => (errors += part.toString()))
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(errors).toBe(
      `Practice platforms: port ${client.port} is taken by another program. Set PRACTICE_PORT to a free one.\n`,
    )
    await client.close()
  })
})

async function run(dir: string): Promise<{ client: Client; kill: () => Promise<unknown> }> {
  const child = fork(main, ['--port', '0', '--dir', dir], { silent: true })
  const [{ port }] = (await once(child, 'message')) as [{ ready: true; port: number }]
  const kill = async (): Promise<unknown> => {
    child.kill('SIGKILL')
    return once(child, 'exit')
  }
  return {
    client: await createClient({ url: `http://127.0.0.1:${port}`, port, close: async () => {} }, dir),
    kill,
  }
}
