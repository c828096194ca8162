import { COUNTED, COUNTED_IF_ALLOWED } from '#contract/platforms/index.ts'
import type { Numbers } from '#domain/results/reading.ts'
import assert from 'node:assert/strict'
import { initial } from '#domain/delivery/state.ts'
import type { DeliveryEvent, DeliveryState, Published, Session } from '#domain/delivery/state.ts'
import { step } from '#domain/delivery/step.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { eventOfCheck, eventOfCommit, eventOfOpen, eventOfSend } from '#platforms/kit/events.ts'
import type {
  Grant,
  Platform,
  Profile,
  PublishJob,
  ResultsJob,
  ResultsOutcome,
  VideoSource,
} from '#platforms/kit/platform.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import {
  consent as submitConsent,
  control,
  inboxDrafts,
  livePosts,
  platformCalls,
  type LivePost,
  type PlatformCall,
} from './test-server.ts'

/**
 * Every platform must pass these checks against a stand-in that answers over real HTTP: each is a name and a function that
 * throws. The stand-in has the practice platforms' control surface.
 */
export type StandIn = {
  readonly platform: Platform
  /** The same platform at an address without a listener. */
  readonly nowhere: Platform
  /** Address of its control surface. */
  readonly practiceUrl: string
  readonly redirectUri: string
  readonly creator: string
  readonly options: PublishJob['options']
  /** The calls send a draft to the creator's inbox, where nothing is live. */
  readonly toInbox?: boolean
  readonly video: VideoSource & { readonly sha256: string }
  readonly calls: {
    readonly exchange: string
    readonly options: string
    readonly open: string
    readonly commit: string
    readonly results: string
    /** Every call on the way to a live post. */
    readonly publishing: readonly string[]
    /** Errors with which the irreversible call may be answered, executed or not. */
    readonly commitErrors?: readonly CommitError[]
  }
  readonly now: () => number
  /** Waits for the platform's file processing, then moves its clock and ours. */
  readonly advance: (seconds: number) => Promise<void>
}

/** `times`: every such call gets this answer, until the platform is given up. */
export type CommitError = { readonly code: number; readonly subcode?: number; readonly times?: number }
/** The most irreversible calls per session, however each is answered. */
const COMMITS_MOST = 10

export type Check = { readonly name: string; readonly run: (standIn: StandIn) => Promise<void> }

const LOSSES = ['drop_before', 'drop_after', 'status_500', 'status_500_after', 'html_502'] as const
/** The irreversible call can also break off in the middle, be repeated by a gateway, or be refused in words although it was executed. */
const COMMIT_LOSSES = [...LOSSES, 'reset_midway', 'repeated', 'publish_error_but_live'] as const

/** @param calls the names of the stand-in's calls, for the checks of lost answers */
export const conformance = (calls: StandIn['calls']): readonly Check[] => [
  { name: 'what does not prove that it is from the platform is refused by every hook', run: unprovedCalls },
  { name: 'an account is linked through the consent page', run: links },
  { name: 'a refusal on the consent page comes back as one, with our state', run: refusedConsent },
  { name: 'a permission that was unticked is not in the grant', run: untickedScope },
  { name: 'a code works once', run: codeReuse },
  { name: 'a lost answer to the exchange is unreachable, and the code is not sent again', run: lostExchange },
  { name: 'the choices of an account are told', run: choices },
  { name: 'a video is published whole, once, and found', run: publishesWhole },
  { name: 'sending goes on from an older copy of the session', run: olderSession },
  { name: 'asking what became of a post changes nothing', run: asking },
  { name: 'a commit whose answer is lost is unanswered, and found live', run: lostCommit },
  { name: 'a commit that never arrived is unanswered, and may be made again', run: commitThatNeverArrived },
  { name: 'the numbers of a live post are read, and grow', run: numbersGrow },
  { name: 'a post that is gone has no numbers, and is no failure', run: numbersOfGone },
  { name: 'for no posts no numbers are asked for', run: numbersOfNone },
  { name: 'without the permission for numbers they are not allowed, and posting is', run: numbersNotAllowed },
  { name: 'numbers that cannot be read are unreadable, and no post is gone', run: numbersUnreadable },
  { name: 'a refused access is a failure of the account', run: refusedAccess },
  { name: 'throttling is told as such', run: throttled },
  { name: "a gateway's page is no answer of the platform", run: gatewayPage },
  { name: 'a platform that cannot be reached is unreachable, and no account is blamed', run: unreachable },
  ...(calls.commitErrors ?? []).flatMap((error) =>
    (error.times === undefined ? ['error', 'error_after'] : ['error']).map((kind) => ({
      name: `${kind} ${Object.values(error).join('/')} at ${calls.commit} ends in what is true, and in one live post at most`,
      run: (standIn: StandIn) => isHonestAfter(standIn, kind, error),
    })),
  ),
  ...calls.publishing.flatMap((call) =>
    (call === calls.commit ? COMMIT_LOSSES : LOSSES).map((kind) => ({
      name: `${kind} at ${call} still ends in exactly one live post`,
      run: (standIn: StandIn) => survives(standIn, call, kind),
    })),
  ),
]

/** @param publishing every call on the way to a draft in the creator's inbox */
export const inboxConformance = (publishing: readonly string[], commit: string): readonly Check[] => [
  { name: 'a draft arrives whole, once, and is never called live', run: draftArrives },
  ...publishing.flatMap((call) =>
    (call === commit ? [...LOSSES, 'reset_midway', 'repeated'] : LOSSES).map((kind) => ({
      name: `${kind} at ${call} still ends in exactly one draft`,
      run: (standIn: StandIn) => survives(standIn, call, kind),
    })),
  ),
]

async function draftArrives(standIn: StandIn): Promise<void> {
  await assertOnePost(standIn, await carryOut(standIn, await createJob(standIn)))
}

async function unprovedCalls({ platform, now }: StandIn): Promise<void> {
  for (const [name, hook] of Object.entries(platform.hooks)) {
    for (const body of ['', '{}', 'signed_request=a.b', '\0'.repeat(1000)]) {
      for (const said of [null, '', 't=1,s=2']) {
        const reading = hook({ header: () => said, body: Buffer.from(body), now: now() })
        assert.equal(reading.kind, 'refused', name)
      }
    }
  }
}

async function links(standIn: StandIn): Promise<void> {
  const { grant, profile } = await link(standIn)
  const { toLink, toPublish } = standIn.platform.capabilities.scopes
  for (const scope of [...toLink, ...toPublish]) assert.ok(grant.scopes.includes(scope), `no ${scope}`)
  assert.equal(profile.username, standIn.creator)
  assert.notEqual(profile.externalId, '')
  if (grant.externalId !== null) assert.equal(grant.externalId, profile.externalId)
  assert.ok(grant.tokens.accessExpiresAt > standIn.now())
  assert.ok(standIn.platform.refreshDueAt(grant.tokens) < grant.tokens.accessExpiresAt)
  const again = await link(standIn)
  assert.equal(again.profile.externalId, profile.externalId)
}

async function refusedConsent(standIn: StandIn): Promise<void> {
  const back = await consent(standIn, { decision: 'deny' })
  assert.equal(back.searchParams.get('error'), 'access_denied')
  assert.equal(back.searchParams.get('state'), STATE)
  assert.equal(back.searchParams.get('code'), null)
}

async function untickedScope(standIn: StandIn): Promise<void> {
  const { toLink, toPublish } = standIn.platform.capabilities.scopes
  const back = await consent(standIn, { decision: 'approve', scopes: toLink })
  const grant = expectValue(await exchange(standIn, readCode(back)))
  for (const scope of toLink) assert.ok(grant.scopes.includes(scope))
  for (const scope of toPublish) assert.ok(!grant.scopes.includes(scope))
}

async function codeReuse(standIn: StandIn): Promise<void> {
  const code = readCode(await consent(standIn, { decision: 'approve' }))
  expectValue(await exchange(standIn, code))
  const failure = expectFailure(await exchange(standIn, code))
  assert.ok(failure.kind === 'rejected' || failure.kind === 'account', failure.kind)
  assertDiscreet(failure, [code])
}

async function lostExchange(standIn: StandIn): Promise<void> {
  const code = readCode(await consent(standIn, { decision: 'approve' }))
  await fault(standIn, standIn.calls.exchange, 'drop_after')
  const failure = expectFailure(await exchange(standIn, code))
  assert.equal(failure.kind, 'unreachable')
  assertDiscreet(failure, [code])
  assert.equal((await listCalls(standIn, standIn.calls.exchange)).length, 1)
}

async function choices(standIn: StandIn): Promise<void> {
  const { account } = await link(standIn)
  const options = expectValue(await standIn.platform.options(account))
  assert.equal(options.platform, standIn.platform.id)
  assert.equal(options.username, standIn.creator)
}

async function refusedAccess(standIn: StandIn): Promise<void> {
  const { account } = await link(standIn)
  await fault(standIn, standIn.calls.options, 'token_expired')
  const failure = expectFailure(await standIn.platform.options(account))
  assert.equal(failure.kind, 'account')
  assert.ok(failure.kind === 'account' && failure.expired, 'a refresh may mend it')
  assertDiscreet(failure, [account.accessToken])
}

async function throttled(standIn: StandIn): Promise<void> {
  const job = await createJob(standIn)
  await fault(standIn, standIn.calls.open, 'status_429')
  const failure = expectFailure(await standIn.platform.open(job))
  assert.equal(failure.kind, 'throttled')
  assert.ok(failure.kind === 'throttled' && failure.retryAfterS > 0)
}

async function gatewayPage(standIn: StandIn): Promise<void> {
  const job = await createJob(standIn)
  await fault(standIn, standIn.calls.open, 'html_502')
  assert.equal(expectFailure(await standIn.platform.open(job)).kind, 'unreachable')
}

async function unreachable(standIn: StandIn): Promise<void> {
  const job = await createJob(standIn)
  const { nowhere } = standIn
  const secrets = [job.account.accessToken, 'a-code']
  const failures = [
    expectFailure(
      await nowhere.exchangeCode({
        code: 'a-code',
        redirectUri: standIn.redirectUri,
        codeVerifier: VERIFIER,
      }),
    ),
    expectFailure(await nowhere.options(job.account)),
    expectFailure(await nowhere.open(job)),
  ]
  for (const failure of failures) {
    assert.equal(failure.kind, 'unreachable')
    assertDiscreet(failure, secrets)
  }
}

async function publishesWhole(standIn: StandIn): Promise<void> {
  const job = await createJob(standIn)
  const end = await carryOut(standIn, job)
  await assertOnePost(standIn, end)
  assert.ok(end.kind === 'published' && end.postId !== null, 'no id')
  assert.equal(end.postId, (await posts(standIn))[0]?.id)
  assert.ok(end.url !== null, 'no address')
  const page = await fetch(end.url)
  await page.body?.cancel()
  assert.equal(page.status, 200, `${end.url} is not the post`)
}

async function numbersGrow(standIn: StandIn): Promise<void> {
  const postId = await publishedId(standIn)
  const { results } = standIn.platform
  const views: number[] = []
  for (let day = 0; day < 2; day += 1) {
    await standIn.advance(DAY_S)
    const outcome = await results.read(await resultsJob(standIn, [postId]))
    assert.equal(outcome.kind, 'read')
    const numbers = expectNumbers(outcome).get(postId) ?? assert.fail('the post is not among them')
    for (const [metric, value] of Object.entries(numbers)) {
      assert.ok(
        COUNTED[standIn.platform.id].some((one) => one === metric),
        metric,
      )
      assert.ok(isCount(value), `${metric} ${value}`)
    }
    views.push(isCount(numbers.views) ? numbers.views : assert.fail('no views'))
  }
  const [first = 0, second = 0] = views
  assert.ok(0 < first && first < second, views.join(' '))
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

async function numbersOfGone(standIn: StandIn): Promise<void> {
  const postId = await publishedId(standIn)
  await control(standIn.practiceUrl, 'POST', '/_control/visibility', {
    platform: standIn.platform.id,
    id: postId,
    visibility: 'deleted',
  })
  const outcome = await standIn.platform.results.read(await resultsJob(standIn, [postId]))
  assert.deepEqual(expectNumbers(outcome), new Map())
}

async function numbersOfNone(standIn: StandIn): Promise<void> {
  const job = await resultsJob(standIn, [])
  assert.deepEqual(expectNumbers(await standIn.platform.results.read(job)), new Map())
  assert.equal((await listCalls(standIn, standIn.calls.results)).length, 0)
}

async function numbersNotAllowed(standIn: StandIn): Promise<void> {
  const { platform } = standIn
  const postId = await publishedId(standIn)
  const { account } = await link(standIn)
  const outcome = await platform.results.read({ ...(await resultsJob(standIn, [postId])), account })
  const failure = outcome.kind === 'read' ? outcome.withheld?.failure : outcome.failure
  if (outcome.kind === 'read') {
    const numbers = outcome.posts.get(postId) ?? assert.fail('the post is not among them')
    for (const metric of COUNTED[platform.id]) {
      if (COUNTED_IF_ALLOWED[platform.id].includes(metric)) assert.equal(numbers[metric], 'not_allowed')
      else assert.ok(isCount(numbers[metric]), metric)
    }
    assert.deepEqual(outcome.withheld?.lostScopes, PLATFORM_FACTS[platform.id].optionalScopes.results)
  } else assert.equal(outcome.kind, 'not_allowed')
  // Such a failure would end the access, and with it the posts.
  assert.ok(failure !== undefined && failure.kind !== 'account', failure?.kind)
  assertDiscreet(failure, [account.accessToken])
  expectValue(await platform.options(account))
}

async function numbersUnreadable(standIn: StandIn): Promise<void> {
  const postId = await publishedId(standIn)
  const job = await resultsJob(standIn, [postId])
  const unreadable = async (platform: Platform, more: Partial<ResultsJob> = {}): Promise<Failure> => {
    const outcome = await platform.results.read({ ...job, ...more })
    assert.ok(outcome.kind === 'unreadable', outcome.kind)
    assertDiscreet(outcome.failure, [job.account.accessToken])
    return outcome.failure
  }
  for (const kind of [...LOSSES, 'reset_midway']) {
    await fault(standIn, standIn.calls.results, kind)
    assert.equal((await unreadable(standIn.platform)).kind, 'unreachable', kind)
  }
  await fault(standIn, standIn.calls.results, 'status_429')
  assert.equal((await unreadable(standIn.platform)).kind, 'throttled')
  assert.equal((await unreadable(standIn.nowhere)).kind, 'unreachable')
  await unreadable(standIn.platform, { signal: AbortSignal.abort() })
  await fault(standIn, standIn.calls.results, 'token_expired')
  assert.equal((await unreadable(standIn.platform)).kind, 'account')
}

const DAY_S = 86_400

/** As the practice platform names it: some platforms tell it late. */
async function publishedId(standIn: StandIn): Promise<string> {
  const end = await carryOut(standIn, await createJob(standIn))
  assert.equal(end.kind, 'published')
  await settle(standIn)
  const [live] = await posts(standIn)
  return live?.id ?? assert.fail('no post')
}

/** Linked anew: access tokens end sooner than numbers grow. */
async function resultsJob(standIn: StandIn, postIds: readonly string[]): Promise<ResultsJob> {
  const { optionalScopes } = PLATFORM_FACTS[standIn.platform.id]
  const scopes = optionalScopes.results ?? []
  const { account } = await link(standIn, scopes)
  return { account, postIds, scopes, signal: new AbortController().signal }
}

const expectNumbers = (outcome: ResultsOutcome): ReadonlyMap<string, Numbers> =>
  outcome.kind === 'read' ? outcome.posts : assert.fail(JSON.stringify(outcome.failure))

async function olderSession(standIn: StandIn): Promise<void> {
  const job = await createJob(standIn)
  const { platform } = standIn
  const opened = expectValue(await platform.open(job))
  const copies: Session[] = [copy(opened)]
  await sendWhole(standIn, job, opened, (session) => copies.push(copy(session)))
  const older = copies[Math.floor(copies.length / 2)] ?? opened
  await sendWhole(standIn, job, older, () => undefined)
  const ready = await sendWhole(standIn, job, copies[0] ?? opened, () => undefined)
  assert.notEqual((await platform.commit(job, ready)).kind, 'unanswered')
  await settle(standIn)
  assert.equal((await posts(standIn)).length, 1)
}

async function asking(standIn: StandIn): Promise<void> {
  const job = await createJob(standIn)
  const opened = expectValue(await standIn.platform.open(job))
  const ready = await sendWhole(standIn, job, opened, () => undefined)
  for (let round = 0; round < 5; round += 1) {
    const outcome = await standIn.platform.check(job, ready)
    assert.notEqual(outcome.kind, 'live')
    assert.notEqual(outcome.kind, 'rejected')
  }
  await settle(standIn)
  assert.equal((await posts(standIn)).length, 0)
}

async function lostCommit(standIn: StandIn): Promise<void> {
  const { job, session } = await committed(standIn, 'drop_after')
  const last = await checkUntil(standIn, job, session, ['live'])
  assert.equal(last.kind, 'live')
  assert.equal((await posts(standIn)).length, 1)
}

async function commitThatNeverArrived(standIn: StandIn): Promise<void> {
  const { job, session } = await committed(standIn, 'drop_before')
  const last = await checkUntil(standIn, job, session, ['uncommitted', 'live'])
  assert.ok(last.kind === 'uncommitted')
  assert.equal((await posts(standIn)).length, 0)
  const ready = await sendWhole(standIn, job, last.session, () => undefined)
  const outcome = await standIn.platform.commit(job, ready)
  assert.ok(outcome.kind === 'accepted' || outcome.kind === 'live', outcome.kind)
  await settle(standIn)
  assert.equal((await posts(standIn)).length, 1)
}

/** Publishes a post whose commit fails by the given fault, and returns the outcome. */
async function committed(
  standIn: StandIn,
  kind: string,
): Promise<{ readonly job: PublishJob; readonly session: Session }> {
  const job = await createJob(standIn)
  const opened = expectValue(await standIn.platform.open(job))
  const session = await sendWhole(standIn, job, opened, () => undefined)
  await fault(standIn, standIn.calls.commit, kind)
  const outcome = await standIn.platform.commit(job, session)
  assert.ok(outcome.kind === 'unanswered', outcome.kind)
  assertDiscreet(outcome.failure, [job.account.accessToken, ...listSecrets(session)])
  return { job, session }
}

async function checkUntil(
  standIn: StandIn,
  job: PublishJob,
  session: Session,
  wanted: readonly string[],
): ReturnType<Platform['check']> {
  let current = session
  for (let round = 0; round < 60; round += 1) {
    const outcome = await standIn.platform.check(job, current)
    if (wanted.includes(outcome.kind)) return outcome
    assert.notEqual(outcome.kind, 'rejected')
    if (outcome.kind === 'accepted' || outcome.kind === 'pending') current = outcome.session
    await standIn.advance(5)
  }
  return assert.fail(`never ${wanted.join(' or ')}`)
}

async function survives(standIn: StandIn, call: string, kind: string): Promise<void> {
  const job = await createJob(standIn)
  await fault(standIn, call, kind)
  const end = await carryOut(standIn, job)
  await assertOnePost(standIn, end)
  // A live post is never published again: the stand-in's answer to that is only one of several possible ones.
  if (kind !== 'repeated') assert.ok((await listCalls(standIn, call)).every(({ flag }) => flag !== AGAIN))
  const waiting = (await control(standIn.practiceUrl, 'GET', '/_control/faults')) as unknown[]
  assert.equal(waiting.length, 0, 'the fault never struck')
}

async function isHonestAfter(standIn: StandIn, kind: string, error: CommitError): Promise<void> {
  const job = await createJob(standIn)
  await fault(standIn, standIn.calls.commit, kind, error)
  const end = await carryOut(standIn, job)
  const calls = await listCalls(standIn, standIn.calls.commit)
  assert.ok(calls.every(({ flag }) => flag !== AGAIN))
  assert.ok(calls.length <= COMMITS_MOST, `${calls.length} calls were made`)
  if (kind === 'error_after') return assertOnePost(standIn, end)
  await settle(standIn)
  assert.equal((await posts(standIn)).length, end.kind === 'published' ? 1 : 0, end.kind)
}

async function assertOnePost(standIn: StandIn, end: DeliveryState): Promise<void> {
  await settle(standIn)
  if (standIn.toInbox) return assertOneDraft(standIn, end)
  const live = await posts(standIn)
  assert.equal(end.kind, 'published', JSON.stringify('reason' in end ? end.reason : end))
  assert.equal(live.length, 1)
  assert.equal(live[0]?.account, standIn.creator)
  assert.equal(live[0]?.text, TEXT)
  assert.equal(live[0]?.sha256, standIn.video.sha256)
}

async function assertOneDraft(standIn: StandIn, end: DeliveryState): Promise<void> {
  assert.equal(end.kind, 'in_inbox', JSON.stringify('reason' in end ? end.reason : end))
  assert.equal((await posts(standIn)).length, 0)
  const drafts = await inboxDrafts(standIn)
  assert.equal(drafts.length, 1)
  assert.equal(drafts[0]?.account, standIn.creator)
  assert.equal(drafts[0]?.sha256, standIn.video.sha256)
}

// A worker without a database: the domain decides, the platform is called, time is advanced.

async function carryOut(standIn: StandIn, job: PublishJob): Promise<DeliveryState> {
  let state: DeliveryState = initial(standIn.now())
  for (let moves = 0; moves < 400; moves += 1) {
    const event = await nextEvent(standIn.platform, job, state, (progress) => {
      const moved = step(state, { type: 'progress', ...progress, waitS: 0 }, standIn.now())
      assert.ok('to' in moved)
      state = moved.to
    })
    if (event === null) return state
    const moved = step(state, event, standIn.now())
    if ('refused' in moved) return assert.fail(moved.refused)
    state = copy(moved.to)
    if (state.kind === 'published') return findLink(standIn, job, state)
    if (moved.wakeAt === null) return state
    const waitMs = moved.wakeAt - standIn.now()
    if (waitMs > 0) await standIn.advance(waitMs / 1000)
  }
  return assert.fail(`still "${state.kind}" after 400 moves`)
}

/** Looks for the link like the product's follow-up, which never changes the delivery. */
async function findLink(
  { platform, advance }: StandIn,
  job: PublishJob,
  live: Published,
): Promise<Published> {
  for (let asked = 0; live.url === null && asked < 20; asked += 1) {
    const found = await platform.locate(job, live.session, live.postId)
    if (found.ok && found.value.url !== null) return { ...live, ...found.value }
    if (found.ok && found.value.complete) return live
    await advance(60)
  }
  return live
}

async function nextEvent(
  platform: Platform,
  job: PublishJob,
  state: DeliveryState,
  report: (progress: { session: Session; sent: number }) => void,
): Promise<DeliveryEvent | null> {
  switch (state.kind) {
    case 'scheduled':
      return { type: 'due' }
    case 'preparing':
      return state.session === null
        ? eventOfOpen(await platform.open(job))
        : eventOfSend(await platform.send(job, state.session, async (progress) => report(progress)))
    case 'committing':
      return eventOfCommit(await platform.commit(job, state.session))
    case 'processing':
    case 'unconfirmed':
      return eventOfCheck(await platform.check(job, state.session))
    case 'published':
    case 'in_inbox':
    case 'blocked':
    case 'failed':
    case 'cancelled':
      return null
  }
}

async function sendWhole(
  standIn: StandIn,
  job: PublishJob,
  session: Session,
  seen: (session: Session) => void,
): Promise<Session> {
  let current = session
  for (let round = 0; round < 60; round += 1) {
    const outcome = await standIn.platform.send(job, copy(current), async (progress) =>
      seen(progress.session),
    )
    if (outcome.kind === 'ready') return outcome.session
    if (outcome.kind === 'setback') return assert.fail(outcome.failure.reason.message)
    current = outcome.session
    seen(current)
    await standIn.advance(outcome.afterS)
  }
  return assert.fail('never ready')
}

const STATE = 'state-of-the-conformance-suite'
const VERIFIER = 'verifier-of-the-conformance-suite-43-letters'
const TEXT = 'Grüße aus dem Garten 🌻 #garden @nova & friends'

/** Submits the consent page's form and returns the address it leads to. */
async function consent(
  standIn: StandIn,
  answer: { readonly decision: 'approve' | 'deny'; readonly scopes?: readonly string[] },
  extraScopes: readonly string[] = [],
): Promise<URL> {
  const { platform, redirectUri, creator } = standIn
  const address = platform.authorizeUrl({
    state: STATE,
    redirectUri,
    extraScopes,
    codeVerifier: VERIFIER,
  })
  const back = await submitConsent(address, { creator, ...answer })
  assert.equal(back.origin + back.pathname, redirectUri)
  return back
}

const readCode = (back: URL): string =>
  back.searchParams.get('code') ?? assert.fail(`no code in ${back.search}`)

const exchange = (standIn: StandIn, code: string): Promise<Result<Grant>> =>
  standIn.platform.exchangeCode({ code, redirectUri: standIn.redirectUri, codeVerifier: VERIFIER })

async function link(
  standIn: StandIn,
  extraScopes: readonly string[] = [],
): Promise<{
  readonly grant: Grant
  readonly profile: Profile
  readonly account: PublishJob['account']
}> {
  const back = await consent(standIn, { decision: 'approve' }, extraScopes)
  assert.equal(back.searchParams.get('state'), STATE)
  const grant = expectValue(await exchange(standIn, readCode(back)))
  const { accessToken } = grant.tokens
  const profile = expectValue(
    await standIn.platform.profile({ accessToken, externalId: grant.externalId, scopes: grant.scopes }),
  )
  return { grant, profile, account: { accessToken, ...profile } }
}

async function createJob(standIn: StandIn): Promise<PublishJob> {
  const { account } = await link(standIn)
  return {
    account,
    text: TEXT,
    options: standIn.options,
    video: standIn.video,
    pictureAddress: () => Promise.resolve(null),
    siblings: () => Promise.resolve({ postIds: [], unknown: [] }),
    signal: new AbortController().signal,
  }
}

const fault = (standIn: StandIn, call: string, kind: string, more: object = {}): Promise<unknown> =>
  control(standIn.practiceUrl, 'POST', '/_control/faults', {
    platform: standIn.platform.id,
    call,
    fault: kind,
    times: 1,
    ...more,
  })

const AGAIN = 'published_again'

const posts = async (standIn: StandIn): Promise<readonly LivePost[]> =>
  (await livePosts(standIn)).filter(isFrom(standIn))

const listCalls = async (standIn: StandIn, call: string): Promise<readonly PlatformCall[]> =>
  (await platformCalls(standIn)).filter(isFrom(standIn)).filter((each) => each.call === call)

const isFrom =
  (standIn: StandIn) =>
  ({ platform }: { readonly platform: string }): boolean =>
    platform === standIn.platform.id

async function settle(standIn: StandIn): Promise<void> {
  await standIn.advance(600)
  const pending = (await control(standIn.practiceUrl, 'GET', '/_control/pending')) as PlatformCall[]
  assert.ok(!pending.some(isFrom(standIn)), 'something is still under way')
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const expectValue = <T>(result: Result<T>): T =>
  result.ok ? result.value : assert.fail(JSON.stringify(result.failure))

const expectFailure = (result: Result<unknown>): Failure =>
  result.ok ? assert.fail('it worked') : result.failure

/** Addresses in a session carry their own secret. */
const listSecrets = (session: Session): readonly string[] =>
  Object.values(session).filter((value) => typeof value === 'string' && value.startsWith('http')) as string[]

function assertDiscreet(failure: Failure, secrets: readonly string[]): void {
  const text = JSON.stringify(failure)
  for (const secret of secrets) assert.ok(!text.includes(secret), 'a secret in a failure')
  assert.ok(failure.reason.message.length > 0 && failure.reason.remedy.length > 0)
}
