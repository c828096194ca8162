import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { linkInstagram, start, type Client } from '../../test-client.ts'

let client: Client
let token: string
beforeAll(async () => {
  client = await start()
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.control('DELETE', '')
  token = await linkInstagram(client)
})

const ask = (): Promise<Response> =>
  fetch(`${client.url}/instagram/v25.0/me?fields=user_id`, { headers: { authorization: `Bearer ${token}` } })
const business = (answer: Response): unknown =>
  JSON.parse(answer.headers.get('x-business-use-case-usage') ?? 'null')

test('every answer reports usage of the allowances in percent', async () => {
  await client.control('POST', '/settings', {
    instagram_app_usage_percent: 12,
    instagram_account_usage_percent: 81,
  })
  const answer = await ask()
  const { user_id: id } = (await answer.json()) as { user_id: string }
  expect(JSON.parse(answer.headers.get('x-app-usage') ?? '')).toEqual({
    call_count: 12,
    total_cputime: 3,
    total_time: 3,
  })
  expect(business(answer)).toEqual({
    [id]: [
      {
        type: 'instagram',
        call_count: 81,
        total_cputime: 20,
        total_time: 20,
        estimated_time_to_regain_access: 0,
      },
    ],
  })
})

test('either header can be missing', async () => {
  await client.control('POST', '/settings', {
    instagram_app_usage_percent: -1,
    instagram_account_usage_percent: -1,
  })
  const { headers } = await ask()
  expect([headers.get('x-app-usage'), headers.get('x-business-use-case-usage')]).toEqual([null, null])
})

test('while access must be regained, calls are refused as 80002 with status 400 and the minutes', async () => {
  await client.control('POST', '/settings', { instagram_regain_minutes: 7 })
  const answer = await ask()
  expect(answer.status).toBe(400)
  expect(JSON.stringify(business(answer))).toContain('"estimated_time_to_regain_access":7')
  expect(await answer.json()).toMatchObject({ error: { code: 80002, error_subcode: 2446079 } })
})

test("calls above an account's hourly limit are refused until an hour has passed", async () => {
  // Linking has made one call already.
  await client.control('POST', '/settings', { instagram_calls_per_hour: 3 })
  expect((await ask()).status).toBe(200)
  expect(JSON.stringify(business(await ask()))).toContain('"call_count":66')
  const refused = await ask()
  expect(refused.status).toBe(400)
  expect(JSON.stringify(business(refused))).toMatch(/"call_count":100.*"estimated_time_to_regain_access":60/)
  await client.control('POST', '/clock', { advance_s: 3601 })
  expect((await ask()).status).toBe(200)
})
