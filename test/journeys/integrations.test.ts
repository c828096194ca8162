import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { KEY_SCOPES } from '#contract/http/key-rights.ts'
import { freePort } from '../support/ports/free-port.ts'
import { signUpToPost } from '../support/publish.ts'
import { GOOD } from '../support/sample.ts'
import { signUp, startTestServer, type TestServer, until } from '../support/test-server.ts'

const kit = (name: string) => fileURLToPath(new URL(`../../docs/integrations/${name}`, import.meta.url))

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ env: { PRIVATE_ADDRESSES: 'allow' }, worker: true })
})
afterAll(() => testServer.stop())

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'])
    return true
  } catch {
    return false
  }
})()

describe('the example receiver', () => {
  let child: ChildProcess | null = null
  afterEach(async () => {
    if (child?.exitCode === null && child.kill()) await once(child, 'exit')
  })

  const startReceiver = async (command: string, file: string, secret: string) => {
    const port = await freePort()
    const printed: string[] = []
    child = spawn(command, [kit(file)], {
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    })
    child.stdout?.on('data', (chunk: Buffer) => printed.push(...chunk.toString().trim().split('\n')))
    const url = `http://127.0.0.1:${port}/`
    await until('the receiver', () =>
      fetch(url, { method: 'POST', body: '{}' }).then(
        ({ status }) => status === 401,
        () => false,
      ),
    )
    return { url, printed }
  }

  it.for<[name: string, command: string, file: string, isThere: boolean]>([
    ['Node', process.execPath, 'receiver.mjs', true],
    ['Python', 'python3', 'receiver.py', hasPython],
  ])('in %s takes what is signed, once', async ([name, command, file, isThere], { skip }) => {
    skip(!isThere, `this machine has no ${name}`)
    const ada = await signUp(testServer)
    const { webhook, secret } = await ada.call('createWebhook', {
      body: { address: 'http://127.0.0.1:9/', events: ['post.published'] },
    })
    const params = { webhookId: webhook.webhook_id }
    const { url, printed } = await startReceiver(command, file, secret)
    await ada.call('changeWebhook', { params, body: { address: url } })
    const { message_id: messageId } = await ada.call('testWebhook', { params })
    const attempts = () =>
      ada
        .call('getWebhookMessage', { params: { ...params, messageId } })
        .then(({ status, attempts: made }) => status === 'delivered' && made)
    await until('the delivery', attempts)
    await ada.call('resendWebhookMessage', { params: { ...params, messageId } })
    await until('the second delivery', async () => (await attempts()) === 2)
    expect(printed).toEqual([expect.stringMatching(/^webhook\.test/)])

    const forged = (key: Buffer, at: number) => {
      const [id, body] = [randomUUID(), '{"id":"1","type":"post.published"}']
      const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1,${signature}`,
      }
      return fetch(url, { method: 'POST', body, headers }).then(({ status }) => status)
    }
    const now = Math.floor(Date.now() / 1000)
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    expect(await forged(Buffer.from('another key'), now)).toBe(401)
    expect(await forged(key, now - 3600)).toBe(401)
    expect(await forged(key, now)).toBe(204)
  })
})

const Parameters = z.object({ parameters: z.array(z.object({ name: z.string(), value: z.string() })) })
const WorkflowNode = z.object({
  name: z.string(),
  parameters: z.object({
    method: z.string().optional(),
    url: z.string().optional(),
    queryParameters: Parameters.optional(),
    headerParameters: Parameters.optional(),
    jsonBody: z.string().optional(),
    conditions: z
      .object({ conditions: z.array(z.object({ leftValue: z.string(), rightValue: z.number() })) })
      .optional(),
  }),
})
const Workflow = z.object({
  nodes: z.array(WorkflowNode),
  connections: z.record(z.string(), z.object({ main: z.array(z.array(z.object({ node: z.string() }))) })),
})
type Item = Record<string, unknown>

/** Follows the workflow from the output of *Post*, as n8n does: `={{ }}` is an expression over earlier outputs. @returns the last node */
async function runWorkflow(post: Item, key: string): Promise<string> {
  const { nodes, connections } = Workflow.parse(JSON.parse(await readFile(kit('n8n.json'), 'utf8')))
  const answers = new Map<string, Item>([['Post', post]])
  let json = post
  const evaluate = (text: string): string =>
    text.startsWith('=')
      ? text.slice(1).replaceAll(/\{\{(.*?)\}\}(?!\})/g, (_all, code: string) => {
          // oxlint-disable-next-line typescript/no-implied-eval -- the expression is that of our own file
          const run = new Function('$json', '$', `return (${code})`) as (...given: unknown[]) => unknown
          return String(run(json, (name: string) => ({ item: { json: answers.get(name) } })))
        })
      : text
  const pairs = (list: z.infer<typeof Parameters> | undefined) =>
    (list?.parameters ?? []).map(({ name, value }) => [name, evaluate(value)] as [string, string])
  let name = 'Post'
  let branch = 0
  for (;;) {
    const next = connections[name]?.main[branch]?.[0]?.node
    const node = nodes.find((one) => one.name === next)
    if (!node) return name
    name = node.name
    const { method, url, queryParameters, headerParameters, jsonBody, conditions } = node.parameters
    const isTrue = (conditions?.conditions ?? []).every(
      ({ leftValue, rightValue }) => evaluate(leftValue) === String(rightValue),
    )
    branch = isTrue ? 0 : 1
    if (url === undefined) continue
    const address = new URL(evaluate(url))
    for (const [field, value] of pairs(queryParameters)) address.searchParams.set(field, value)
    const answer = await fetch(address, {
      method: method ?? 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        ...(jsonBody !== undefined && { 'content-type': 'application/json' }),
        ...Object.fromEntries(pairs(headerParameters)),
      },
      ...(jsonBody !== undefined && { body: evaluate(jsonBody) }),
    })
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`)
    json = (await answer.json()) as Item // replies are objects
    answers.set(name, json)
  }
}

it('the workflow of n8n publishes a video, and run again finds its post', async () => {
  const { person, tiktok, instagram } = await signUpToPost(testServer)
  const files = createServer((_request, response) => response.end(GOOD))
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const { secret } = await person.call('createApiKey', {
    body: {
      name: 'n8n',
      scopes: [...KEY_SCOPES],
      expires_in_days: 1,
      limited_to: { brand_ids: [], account_ids: [tiktok, instagram] },
    },
  })
  const post = {
    reelay: testServer.url,
    reference: 'cms/42',
    video: `http://127.0.0.1:${(files.address() as AddressInfo).port}/opening-day.mp4`, // it listens at a port
    text: 'Opening day',
    accounts: [tiktok, instagram],
    publish_at: undefined,
  }
  const first = await runWorkflow(post, secret)
  const second = await runWorkflow(post, secret)
  files.close()
  expect([first, second]).toEqual(['Create post', 'Known'])
  await until('the posts', async () => {
    const { items } = await person.call('listPosts')
    return items.length === 1 && items[0]?.deliveries.every(({ status }) => status === 'published')
  })
})

it("the steps of the GitHub workflow publish a release's video, and run again find its post", async () => {
  const { person } = await signUpToPost(testServer)
  const { secret } = await person.call('createApiKey', {
    body: { name: 'GitHub', scopes: [...KEY_SCOPES], expires_in_days: 1 },
  })
  const workflow = await readFile(kit('github-actions.yml'), 'utf8')
  const steps = [...workflow.matchAll(/^ +- run: (.*)$/gm)].map(([, step = '']) => step)
  const env = Object.fromEntries(
    [...workflow.matchAll(/^ +([A-Z_]+): (.*)$/gm)].map(([, name = '', value]) => [name, value]),
  )
  expect(Object.keys(env)).toEqual(['REELAY_URL', 'REELAY_API_KEY', 'REFERENCE'])
  const folder = await mkdtemp(path.join(tmpdir(), 'reelay-workflow-'))
  try {
    await mkdir(path.join(folder, 'release'))
    await writeFile(path.join(folder, 'release/video.mp4'), GOOD)
    await writeFile(path.join(folder, 'release/caption.txt'), 'Version 2 is here\n')
    // The server sends the built command; this is what it is built from.
    await writeFile(
      path.join(folder, 'reelay.mjs'),
      `import '${new URL('../../src/cli/main.ts', import.meta.url).href}'\n`,
    )
    const [load, ...others] = steps
    expect(load).toContain('"$REELAY_URL/cli/reelay.mjs"')
    const run = promisify(execFile)
    // The second time a person runs the job again.
    for (const step of [...others, ...others])
      await run('sh', ['-ec', step], {
        cwd: folder,
        env: {
          ...process.env,
          HOME: folder,
          REELAY_URL: testServer.url,
          REELAY_API_KEY: secret,
          REFERENCE: env['REFERENCE']?.replace('${{ github.ref_name }}', 'v2.0.0') ?? '',
        },
      })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const { items } = await person.call('listPosts', { query: { reference: 'release-v2.0.0' } })
  expect(items.map(({ text, deliveries }) => [text, ...deliveries.map(({ status }) => status)])).toEqual([
    ['Version 2 is here', 'published', 'published'],
  ])
})
