import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProblemBody } from '#contract/problem.ts'
import { type House, PASSWORD, type Person, signIn, signUp, startHouse } from '#test/harness.ts'

let house: House
let clock = 0
beforeAll(async () => {
  house = await startHouse({ now: () => Date.now() + clock })
})
afterAll(() => house.stop())

async function identity(call: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${house.url}/identity/v1/accounts:${call}?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Record<string, unknown> // the identity protocol's answer
}

const leave = (someone: Person) => someone.request('/user', { method: 'DELETE' })
const problemOf = async (answer: Response) => ({
  status: answer.status,
  code: ProblemBody.parse(await answer.json()).code,
})
describe('deleting one’s account', () => {
  it('takes a log-in within five minutes', async () => {
    const someone = await signUp(house)
    clock += 301_000
    expect(await problemOf(await leave(someone))).toEqual({ status: 403, code: 'login_again' })
    const again = await signIn(house, someone.email)
    expect((await leave(again)).status).toBe(204)
  })

  it('is refused where only whoever runs the server may do it, and the settings say so', async () => {
    const strict = await startHouse({ env: { IDENTITY_SELF_DELETION: 'off' } })
    const someone = await signUp(strict)
    expect(await problemOf(await leave(someone))).toEqual({ status: 403, code: 'forbidden' })
    expect((await someone.call('getSettings')).account).toEqual({ delete: false, sign_out_everywhere: true })
    await strict.stop()
  })
})

describe('signing out everywhere', () => {
  it('ends every session and every token, this one, too, and the streams; logging in goes on', async () => {
    const someone = await signUp(house)
    const other = await signIn(house, someone.email)
    const stranger = await signUp(house)
    const { refreshToken } = await identity('signInWithPassword', {
      email: someone.email,
      password: PASSWORD,
    })
    const stream = await other.request('/events')
    const ended = (async () => {
      for await (const _ of stream.body ?? []) continue
    })().catch(() => {})
    await someone.call('signOutEverywhere')
    await ended
    for (const who of [someone, other]) expect((await who.request('/user')).status).toBe(401)
    const renewed = await fetch(`${house.url}/identity/v1/token?key=reelay`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(refreshToken) }),
    })
    expect(await renewed.json()).toMatchObject({ error: { message: 'TOKEN_EXPIRED' } })
    expect((await stranger.request('/user')).status).toBe(200)
    expect((await (await signIn(house, someone.email)).request('/user')).status).toBe(200)
  })
})
