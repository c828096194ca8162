import { hostname } from 'node:os'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { API_KEY_START } from '#contract/api-keys.ts'
import { COMMAND_LINE, DEVICE_GRANT } from '#contract/oauth.ts'
import { call, exchange, Unreachable } from './client.ts'
import { Stop } from './ends.ts'
import { note } from './output.ts'
import { parseJson, readSettings, saveSettings, settingsFile, type Server } from './settings.ts'

/** RFC 8628, 3.2. */
const DeviceCode = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number(),
  interval: z.number().default(5),
})
const Token = z.object({ access_token: z.string(), expires_in: z.number().optional() })
const DAY_S = 86_400
const Refusal = z.object({ error: z.string(), error_description: z.string().optional() })

/** Shows a code, and waits until its user has approved it in a browser. @throws Stop */
export async function logIn(address: string): Promise<void> {
  const asked = await postForm(address, '/oauth/device', {
    client_id: COMMAND_LINE.id,
    scope: 'read write publish',
    device_name: hostname(),
  })
  const device = DeviceCode.safeParse(asked)
  if (!device.success) {
    const reason = Refusal.safeParse(asked).data?.error_description
    const message =
      reason ?? 'This server has no log-in for commands. Make a key in Settings, and use --key-stdin.'
    throw new Stop('refused', message)
  }
  const { data } = device
  note(`Open ${data.verification_uri_complete ?? data.verification_uri}`)
  note(`and confirm the code ${data.user_code}`)
  const token = await waitForApproval(address, data)
  await keepKey({ address, key: token.access_token }, { madeByLogin: true })
  if (token.expires_in !== undefined)
    note(`It lasts ${Math.floor(token.expires_in / DAY_S)} days; then log in again.`)
}

/** RFC 8628, 3.5. A lost answer costs one look. */
async function waitForApproval(
  address: string,
  device: z.infer<typeof DeviceCode>,
): Promise<z.infer<typeof Token>> {
  const endsAt = performance.now() + device.expires_in * 1000
  let intervalS = device.interval
  while (performance.now() < endsAt) {
    await sleep(intervalS * 1000)
    const answer = await postForm(address, '/oauth/token', {
      grant_type: DEVICE_GRANT,
      device_code: device.device_code,
      client_id: COMMAND_LINE.id,
    }).catch((error: unknown) => {
      if (error instanceof Unreachable) return null
      throw error
    })
    const token = Token.safeParse(answer)
    if (token.success) return token.data
    const refusal = Refusal.safeParse(answer).data?.error
    if (refusal === 'access_denied') throw new Stop('not_logged_in', 'The log-in was refused in the browser.')
    if (refusal === 'slow_down') intervalS += 5
    else if (refusal === 'expired_token') break
    else if (refusal !== undefined && refusal !== 'authorization_pending')
      throw new Stop('not_logged_in', `The server refused the log-in: ${refusal}.`)
  }
  throw new Stop('not_logged_in', 'Nobody confirmed the code in time. Log in again.')
}

/** Reads an API key from the standard input, for machines without a browser. @throws Stop */
export async function logInWithKey(address: string): Promise<void> {
  const key = (await readAll(process.stdin)).trim()
  if (!key.startsWith(API_KEY_START) || !/^[\x21-\x7e]+$/.test(key))
    throw new Stop('refused', `An API key begins with ${API_KEY_START}. Make one in Settings, API keys.`)
  await keepKey({ address, key }, { madeByLogin: false })
}

async function keepKey(server: Server, { madeByLogin }: { madeByLogin: boolean }): Promise<void> {
  const { email } = await call(server, 'getUser', {})
  const { servers } = readSettings()
  saveSettings({
    current: server.address,
    servers: { ...servers, [server.address]: { key: server.key, made_by_login: madeByLogin } },
  })
  note(`Logged in to ${server.address} as ${email}. The key is in ${settingsFile()}.`)
}

/** Revokes the key that log-in made, and forgets it. One that was given may be used elsewhere, so it is only forgotten. @throws Stop */
export async function logOut(address: string): Promise<void> {
  const saved = readSettings()
  const { [address]: mine, ...others } = saved.servers
  if (mine === undefined) throw new Stop('not_logged_in', `You are not logged in to ${address}.`)
  // Forgotten only then: a key that nobody knows could not be revoked from here.
  if (mine.made_by_login) {
    const refusal = Refusal.safeParse(
      await postForm(address, '/oauth/revoke', { token: mine.key, client_id: COMMAND_LINE.id }),
    )
    if (refusal.success)
      throw new Stop('refused', `The server did not revoke the key: ${refusal.data.error}.`)
  }
  const current = saved.current === address ? (Object.keys(others)[0] ?? null) : saved.current
  saveSettings({ current, servers: others })
  note(
    mine.made_by_login
      ? `Logged out of ${address}. The key is revoked.`
      : `The key for ${address} is forgotten. It still works: revoke it in Settings, API keys.`,
  )
}

/** OAuth answers its refusals as JSON, too. A busy server is asked again later. @throws Unreachable */
async function postForm(address: string, path: string, fields: Record<string, string>): Promise<unknown> {
  const answer = await exchange(address, path, { method: 'POST', body: new URLSearchParams(fields) })
  const body = parseJson(await answer.text().catch(() => ''))
  if (answer.status < 500) return body
  throw new Unreachable(address, `HTTP ${answer.status}`)
}
