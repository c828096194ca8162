import type { OptionalPermission } from '#contract/platforms/index.ts'
import { sql } from 'kysely'
import type { AccountId } from '#contract/ids.ts'
import { control, linkAccount, until } from '../support/test-server.ts'
import { REQUIRED_OPTIONS, WITH_COMMENTS } from '../support/options.ts'
import type { Sample } from '../support/sample.ts'
import { steady, type Lane } from './lane.ts'
import { findOwnText, type Account, type Scenario } from './scenario/scenario.ts'

/** `account`: its index in the scenario. Times are epoch ms. */
export type Row = {
  readonly id: number
  readonly postId: number
  readonly account: number
  readonly state: string
  readonly wakeAt: number | null
  /** A worker has the delivery, or one of its follow-ups. */
  readonly leased: boolean
  /** The time of its next follow-up: the first comment, or a look for the post's id. */
  readonly followUpAt: number | null
  readonly relink: boolean
  readonly deleted: boolean
  /** It failed, and its user dismissed or resent it. */
  readonly settled: boolean
  /** Its first comment, if it should have one and is live. */
  readonly comment: {
    readonly state: string
    readonly checks: number
    readonly reason: string | null
    readonly wakeAt: number | null
  } | null
}

/** It ended, or waits for its user to link the account again. */
export const isSettled = ({ state, relink }: Row): boolean =>
  state === 'published' || state === 'in_inbox' || state === 'failed' || state === 'cancelled' || relink

/** Its first comment ended too, was looked for three times in vain, or waits for its user. */
export const isQuiet = (row: Row): boolean => {
  const { state, checks, wakeAt } = row.comment ?? { state: 'done', checks: 0, wakeAt: null }
  return (
    isSettled(row) &&
    state !== 'waiting' &&
    state !== 'commenting' &&
    (state !== 'unconfirmed' || checks >= 3 || wakeAt === null)
  )
}

/** The accounts and posts of one run, with the actions of its user, creators and clock. */
export type Stage = {
  readonly lane: Lane
  readonly scenario: Scenario
  readonly sample: Sample
  /** Events for debugging a failed run. */
  readonly timeline: string[]
  note(text: string): void
  account(index: number): Account
  link(index: number): Promise<void>
  unlink(index: number): Promise<void>
  /** Creates the scenario's posts, each for every account. */
  post(): Promise<void>
  readonly posts: readonly { readonly id: number }[]
  /** Sends a delivery again as a new post that replaces it. @returns the status; 201: it is one of `posts` */
  resend(row: Row, isConfirmed?: boolean): Promise<number>
  /** The delivery that each new post replaces. */
  readonly replaced: ReadonlyMap<number, number>
  /** Changes each post's text for the account. @returns contradictions in the API's answers */
  edit(index: number): Promise<string[]>
  /** The delivery's text, as requested or as changed since. */
  textOf(row: Row): string
  /** The draft is meant for its creator's inbox. */
  isDraft(row: Row): boolean
  /** The requested first comment; null: none. */
  commentOf(row: Row): string | null
  look(): Promise<Row[]>
  change(index: number, what: object): Promise<void>
  disconnect(index: number): Promise<void>
  /** Calls the API, again until the server itself answers. @returns its status */
  asUser(method: string, address: string, body?: object): Promise<number>
  advance(ms: number): Promise<void>
  /** Removes everything that could happen in the next run. */
  clear(): Promise<void>
  /** How often it was about to be published: each call may have reached the platform although its worker was killed. */
  timesCommitted(row: Row): Promise<number>
  /** The texts that users were shown for each delivery. */
  told(): Promise<string[]>
}

/** Instagram's fault that refuses a call: it does not end when the services return. */
export const REFUSAL = 'error'

export async function setStage(lane: Lane, scenario: Scenario): Promise<Stage> {
  const timeline: string[] = []
  const startedAt = lane.now()
  const posts: { id: number; texts: string[]; comments: (string | null)[] }[] = []
  const replaced = new Map<number, number>()
  let presses = 0
  /** Reelay's accounts by id; an account that is linked again after unlinking has a new one. */
  const owners = new Map<number, number>()
  const ids: AccountId[] = []

  await lane.clearPlatforms()
  const { brand_id } = await (
    await lane.person()
  ).call('createBrand', { body: { title: `Run ${scenario.run}` } })
  const { videoId, sample } = await lane.video(scenario.video)

  const account = (index: number): Account => {
    const found = scenario.accounts[index]
    if (found === undefined) throw new Error(`There is no account ${index}.`)
    return found
  }
  const link = async (index: number) => {
    const { platform, creator } = account(index)
    const firstComment = scenario.firstComments && WITH_COMMENTS.includes(platform)
    const permissions: OptionalPermission[] = firstComment ? ['comments'] : []
    const it = { platform, brandId: brand_id, creator, permissions }
    const { account_id } = await linkAccount(await lane.person(), it)
    owners.set(account_id, index)
    ids[index] = account_id
  }
  /** The next posts to the account fail for good, whatever they contain. */
  const refuse = async (index: number) => {
    const { platform, creator } = account(index)
    const times = scenario.refusals
    if (times === 0) return
    if (platform !== 'instagram') {
      const fail_reasons = Array<string>(times).fill(platform === 'tiktok' ? 'spam_risk_text' : 'codec')
      return ofCreator(index, '/_control/accounts', { fail_reasons })
    }
    const error = { fault: REFUSAL, code: 352, subcode: 2_207_026, account: creator, times }
    await control(lane.practiceUrl, 'POST', '/_control/faults', { platform, call: 'create', ...error })
  }
  const firstCommentTo = (index: number, text: string): string | null =>
    scenario.firstComments && WITH_COMMENTS.includes(account(index).platform) ? `First on ${text}` : null
  const isDraft = (index: number) => scenario.drafts && account(index).platform === 'tiktok'
  const optionsOf = (index: number, text: string) => {
    if (isDraft(index)) return { post_mode: 'MEDIA_UPLOAD' }
    const comment = firstCommentTo(index, text)
    return {
      ...REQUIRED_OPTIONS[account(index).platform],
      ...(comment !== null && { first_comment: comment }),
    }
  }
  const textOf = (row: Row) => posts.find(({ id }) => id === row.postId)?.texts[row.account] ?? ''
  const ofCreator = async (index: number, call: string, what: object = {}) => {
    const { platform, creator } = account(index)
    await control(lane.practiceUrl, 'POST', call, { platform, username: creator, ...what })
  }
  const ask = async (method: string, address: string, body?: object, headers: object = {}) => {
    const user = await lane.person()
    const call = body
      ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
      : { method }
    return until(`an answer to ${method} ${address}`, async () => {
      const answer = await user.request(address, call).catch(() => null)
      return answer !== null && answer.status < 500 ? answer : null
    })
  }
  const asUser = async (method: string, address: string, body?: object) =>
    (await ask(method, address, body)).status
  /** Changes only what has not started: a started delivery keeps its text and is named as such. */
  const editOne = async (id: number, index: number, words: string): Promise<string | null> => {
    const post = await read(id)
    const targets = post.deliveries.map(({ delivery_id, account_id }) => {
      const made = post.targets.find((one) => one.delivery_id === delivery_id)
      const text = account_id === ids[index] ? words : made?.text
      return { account_id, text, options: made?.options }
    })
    const status = await asUser('PATCH', `/posts/${id}`, { version: post.version, targets })
    const now = await read(id)
    const own = now.deliveries.find(({ account_id }) => account_id === ids[index])
    const said = now.targets.find(({ delivery_id }) => delivery_id === own?.delivery_id)?.text
    const changed = posts.find((one) => one.id === id)
    if (changed !== undefined && said !== undefined) changed.texts[index] = said
    return status === 200 && said !== undefined && said !== words
      ? `post ${id} was changed to "${words}" and says "${said}"`
      : null
  }
  const read = (postId: number) =>
    steady(async () => (await lane.person()).call('getPost', { params: { postId } }))
  const ofPosts = () => sql`post_id in (${sql.join([0, ...posts.map(({ id }) => id)])})`

  const look = async (): Promise<Row[]> => {
    const { rows } = await steady(() =>
      sql<Omit<Row, 'account'> & { accountId: number }>`
        select delivery_id as id, post_id as "postId", account_id as "accountId", state,
               (extract(epoch from wake_at) * 1000)::float8 as "wakeAt",
               coalesce(leased_until > now(), false) or exists (select from follow_ups f
                 where f.delivery_id = deliveries.delivery_id and f.leased_until > now()) as leased,
               (select (extract(epoch from min(f.wake_at)) * 1000)::float8
                 from follow_ups f where f.delivery_id = deliveries.delivery_id) as "followUpAt", relink_reason is not null as relink,
               settled_at is not null as settled, (select deleted_at is not null from posts p where p.post_id = deliveries.post_id) as deleted,
               (select jsonb_build_object(
                  'state', f.state, 'checks', coalesce((f.data ->> 'checks')::int, 0),
                  'reason', f.data #>> '{reason,code}',
                  'wakeAt', extract(epoch from f.wake_at) * 1000)
                from follow_ups f where f.delivery_id = deliveries.delivery_id and f.kind = 'first_comment') as comment
        from deliveries join accounts using (account_id) where ${ofPosts()} order by delivery_id`.execute(
        lane.db,
      ),
    )
    return rows.map(({ accountId, ...row }) => ({ ...row, account: owners.get(accountId) ?? -1 }))
  }

  for (const index of scenario.accounts.keys()) {
    await ofCreator(index, '/_control/accounts')
    await link(index)
    await refuse(index)
  }
  return {
    lane,
    scenario,
    sample,
    timeline,
    note: (text) =>
      void timeline.push(`${((lane.now() - startedAt) / 1000).toFixed(1).padStart(8)} s  ${text}`),
    account,
    link,
    unlink: async (index) => void (await asUser('DELETE', `/accounts/${ids[index]}`)),
    async post() {
      for (let number = 0; number < scenario.posts; number++) {
        const text = `Run ${scenario.run}, post ${number}`
        const own = ids.map((_, index) => findOwnText(scenario, number, index))
        const { post_id } = await (
          await lane.person()
        ).call('createPost', {
          body: {
            video_id: videoId,
            text,
            targets: ids.map((account_id, index) => ({
              account_id,
              text: own[index] ?? undefined,
              options: optionsOf(index, own[index] ?? text),
              after_minutes: index * scenario.apartMinutes,
            })),
          },
        })
        const texts = own.map((its) => its ?? text)
        posts.push({ id: post_id, texts, comments: texts.map((its, index) => firstCommentTo(index, its)) })
      }
    },
    posts,
    replaced,
    async resend(row, isConfirmed = false) {
      const index = row.account
      const text = `Run ${scenario.run}, sent again instead of delivery ${row.id}`
      const comment = firstCommentTo(index, text)
      const options = optionsOf(index, text)
      const body = {
        video_id: videoId,
        text,
        targets: [{ account_id: ids[index], options }],
        replaces: [row.id],
        ...(isConfirmed && { confirm_repeat: true }),
      }
      // One key per press, however often its answer is lost.
      const answer = await ask('POST', '/posts', body, { 'idempotency-key': `resend-${row.id}-${++presses}` })
      if (answer.status !== 201) return answer.status
      const { post_id: id } = (await answer.json()) as { post_id: number }
      const texts: string[] = []
      const comments: (string | null)[] = []
      texts[index] = text
      comments[index] = comment
      posts.push({ id, texts, comments })
      replaced.set(id, row.id)
      return answer.status
    },
    async edit(index) {
      // A draft for an inbox has no text.
      if (isDraft(index)) return []
      const wrong: (string | null)[] = []
      const deleted = new Set((await look()).flatMap((row) => (row.deleted ? [row.postId] : [])))
      for (const [number, { id }] of posts.entries())
        if (!deleted.has(id))
          wrong.push(
            await editOne(id, index, `Run ${scenario.run}, edited, post ${number} to account ${index}`),
          )
      return wrong.filter((one) => one !== null)
    },
    textOf,
    isDraft: (row) => isDraft(row.account),
    commentOf: (row) => posts.find(({ id }) => id === row.postId)?.comments[row.account] ?? null,
    look,
    change: (index, what) => ofCreator(index, '/_control/accounts', what),
    disconnect: (index) => ofCreator(index, '/_control/disconnect'),
    asUser,
    advance: (ms) => steady(() => lane.advance(ms)),
    async clear() {
      await steady(() =>
        sql`update deliveries set wake_at = null, state = 'cancelled', data = '{"attempt":1,"at":0}',
              version = version + 1
            where ${ofPosts()} and wake_at is not null`.execute(lane.db),
      )
      await steady(() =>
        sql`delete from follow_ups where delivery_id in (select delivery_id from deliveries where ${ofPosts()})`.execute(
          lane.db,
        ),
      )
    },
    async timesCommitted({ id }) {
      const { rows } = await steady(() =>
        sql<{ times: number }>`
          select count(*) as times from delivery_events where delivery_id = ${id} and state = 'committing'`.execute(
          lane.db,
        ),
      )
      return rows[0]?.times ?? 0
    },
    async told() {
      const { rows } = await steady(() =>
        sql<{ text: string }>`
          select format('delivery %s: %s', delivery_id, message) as text from delivery_events
          where delivery_id in (select delivery_id from deliveries where ${ofPosts()}) order by event_id`.execute(
          lane.db,
        ),
      )
      return rows.map(({ text }) => text)
    },
  }
}
