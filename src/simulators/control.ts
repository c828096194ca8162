import type { FastifyInstance, FastifyReply } from 'fastify'
import { allDrafts, allPosts, pendingPosts, type Platforms } from './platform-state.ts'
import { readMails } from './feed/mailbox.ts'
import {
  newCreator as newInstagramCreator,
  setVisibility as setInstagramVisibility,
  withdraw as withdrawFromInstagram,
} from './instagram/state/state.ts'
import { requestDeletion, removeApp as removeFromInstagram } from './instagram/callbacks.ts'
import { counterNames, type Counters } from './kit/audience.ts'
import { pathPart } from './kit/http/body.ts'
import {
  faultKinds,
  platformNames,
  type Fault,
  type FaultKind,
  type PlatformName,
  type ScriptedError,
} from './kit/faults.ts'
import type { Visibility } from './kit/live-post.ts'
import { asObject, parseJson } from './kit/json.ts'
import { readOrigin } from './kit/http/serve.ts'
import {
  appSettings,
  newCreator as newTikTokCreator,
  setVisibility as setTikTokVisibility,
  withdraw as withdrawFromTikTok,
} from './tiktok/state/state.ts'
import { removeApp as removeFromTikTok } from './tiktok/webhooks.ts'
import {
  endAccess,
  newApp,
  newCreator as newYouTubeCreator,
  setVisibility as setYouTubeVisibility,
  withdraw as withdrawFromYouTube,
} from './youtube/state.ts'
import type { Table } from './kit/store.ts'

export interface ControlOptions extends Platforms {
  seed: () => void
  mailboxDir: string | null
}

export function mountControl(app: FastifyInstance, options: ControlOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, parseJson(body.toString())),
  )

  mountReads(app, options)
  mountAccounts(app, options)
  mountNumbers(app, options)
  mountFaults(app, options)
  mountChanges(app, options)
}

function mountReads(app: FastifyInstance, options: ControlOptions): void {
  const { tiktok, instagram, youtube, mailboxDir } = options
  const { settings, faults, calls } = tiktok
  app.get('/_control/posts', (request) => allPosts(options, readOrigin(request)))
  app.get('/_control/drafts', () => allDrafts(options))
  app.get('/_control/pending', () => pendingPosts(options))
  app.get('/_control/calls', () => calls.all())
  app.get('/_control/faults', () => faults.waiting())
  app.get('/_control/outbox', () => tiktok.outbox.all())
  app.get('/_control/settings', () => settings.get())
  app.get('/_control/accounts', () => ({
    tiktok: tiktok.creators.all(),
    instagram: instagram.creators.all(),
    youtube: youtube.creators.all(),
  }))
  app.get('/_control/mails', () => readMails(mailboxDir))
}

function mountAccounts(app: FastifyInstance, platforms: ControlOptions): void {
  const { tiktok, instagram, youtube } = platforms
  app.post('/_control/accounts', (request, reply) => {
    const wanted = readPlatform(request.body)
    if (wanted === null) return refuse(reply, wantsPlatform)
    const { platform, ...change } = wanted
    const username = change.username
    if (typeof username !== 'string' || !/^[\w.]{1,30}$/.test(username))
      return refuse(reply, 'username is missing')
    switch (platform) {
      case 'tiktok':
        return merge(reply, tiktok.creators, username, newTikTokCreator(username), change)
      case 'instagram':
        return merge(reply, instagram.creators, username, newInstagramCreator(username), change)
      case 'youtube':
        return merge(reply, youtube.creators, username, newYouTubeCreator(username), change)
    }
  })
  app.post('/_control/apps', (request, reply) => {
    const wanted = readPlatform(request.body)
    if (wanted === null) return refuse(reply, wantsPlatform)
    const { platform, ...change } = wanted
    switch (platform) {
      case 'tiktok':
        return merge(reply, tiktok.app, 'app', appSettings(tiktok), change)
      case 'instagram':
        return merge(reply, instagram.app, 'app', { redirect_uris: null }, change)
      case 'youtube':
        return merge(reply, youtube.app, 'app', newApp(), change)
    }
  })
  app.post('/_control/disconnect', (request, reply) => {
    const wanted = readCreator(platforms, request.body)
    if (typeof wanted === 'string') return refuse(reply, wanted)
    switch (wanted.platform) {
      case 'tiktok':
        removeFromTikTok(tiktok, wanted.username)
        break
      case 'instagram':
        removeFromInstagram(instagram, wanted.username)
        break
      case 'youtube':
        endAccess(youtube, wanted.username)
    }
    return wanted
  })
  app.post('/_control/forget', (request, reply) => {
    const wanted = readCreator(platforms, request.body)
    if (typeof wanted === 'string') return refuse(reply, wanted)
    if (wanted.platform !== 'instagram') return refuse(reply, 'only Instagram has such a request')
    requestDeletion(instagram, wanted.username)
    return wanted
  })
}

/** What becomes of live posts, and of the right to read their numbers. */
function mountNumbers(app: FastifyInstance, platforms: ControlOptions): void {
  const { tiktok, instagram, youtube } = platforms
  app.post('/_control/numbers', (request, reply) => {
    const wanted = readPost(platforms, request.body)
    if (typeof wanted === 'string') return refuse(reply, wanted)
    const counters = readCounters(wanted.more)
    if (typeof counters === 'string') return refuse(reply, counters)
    tiktok.audience.set(wanted.platform, wanted.post.id, counters)
    return tiktok.audience.count(wanted.platform, wanted.post)
  })
  app.post('/_control/visibility', (request, reply) => {
    const wanted = readPost(platforms, request.body)
    if (typeof wanted === 'string') return refuse(reply, wanted)
    const visibility = visibilities.find((name) => name === wanted.more.visibility)
    if (visibility === undefined) return refuse(reply, `visibility must be one of ${visibilities.join(', ')}`)
    switch (wanted.platform) {
      case 'tiktok':
        setTikTokVisibility(tiktok, wanted.post.id, visibility)
        break
      case 'instagram':
        setInstagramVisibility(instagram, wanted.post.id, visibility)
        break
      case 'youtube':
        setYouTubeVisibility(youtube, wanted.post.id, visibility)
    }
    return { platform: wanted.platform, id: wanted.post.id, visibility }
  })
  app.post('/_control/withdraw', (request, reply) => {
    const wanted = readCreator(platforms, request.body)
    if (typeof wanted === 'string') return refuse(reply, wanted)
    const scopes = asObject(request.body)?.scopes
    if (!isListOfTexts(scopes)) return refuse(reply, 'scopes must be a list of texts')
    switch (wanted.platform) {
      case 'tiktok':
        withdrawFromTikTok(tiktok, wanted.username, scopes)
        break
      case 'instagram':
        withdrawFromInstagram(instagram, wanted.username, scopes)
        break
      case 'youtube':
        withdrawFromYouTube(youtube, wanted.username, scopes)
    }
    return { ...wanted, scopes }
  })
}

const visibilities: readonly Visibility[] = ['public', 'private', 'deleted']

function mountFaults(app: FastifyInstance, { tiktok: { faults } }: ControlOptions): void {
  app.post('/_control/faults', (request, reply) => {
    const fault = readFault(request.body)
    return typeof fault === 'string' ? refuse(reply, fault) : faults.add(fault)
  })
  app.delete('/_control/faults', (_request, reply) => {
    faults.clear()
    return reply.code(204).send()
  })
  app.get('/_control/holds', () => faults.holding())
  app.delete('/_control/holds/:id', (request, reply) => {
    faults.release(pathPart(request, 'id'))
    return reply.code(204).send()
  })
}

function mountChanges(app: FastifyInstance, { tiktok, seed }: ControlOptions): void {
  const { store, clock, settings, media, background } = tiktok
  app.post('/_control/settings', (request, reply) => {
    const wrong = settings.change(asObject(request.body) ?? {})
    return wrong === null ? settings.get() : refuse(reply, wrong)
  })
  app.post('/_control/clock', (request, reply) => {
    const seconds = asObject(request.body)?.advance_s
    if (typeof seconds !== 'number' || !(Math.abs(seconds) <= ADVANCE_MAX_S))
      return refuse(reply, `advance_s must be a number up to ${ADVANCE_MAX_S}`)
    clock.advance(seconds)
    return { now: new Date(clock.now()).toISOString() }
  })
  app.post('/_control/settle', async (_request, reply) => {
    await background.idle()
    return reply.code(204).send()
  })
  app.delete('/_control', (_request, reply) => {
    store.clear()
    media.clear()
    seed()
    return reply.code(204).send()
  })
}

const refuse = (reply: FastifyReply, message: string): FastifyReply => reply.code(400).send({ message })

/** A hundred years: beyond the range of a date the clock could no longer be read or reset. */
const ADVANCE_MAX_S = 3_155_760_000

const wantsPlatform = `platform must be one of ${platformNames.join(', ')}`

type ForPlatform = Record<string, unknown> & { platform: PlatformName }

function readPlatform(body: unknown): ForPlatform | null {
  const wanted = asObject(body)
  const platform = platformNames.find((name) => name === wanted?.platform)
  return wanted === null || platform === undefined ? null : { ...wanted, platform }
}

function readCreator(
  platforms: Platforms,
  body: unknown,
): { platform: PlatformName; username: string } | string {
  const wanted = readPlatform(body)
  if (wanted === null) return wantsPlatform
  const { platform, username } = wanted
  const { creators } = platforms[platform]
  return typeof username === 'string' && creators.get(username) !== undefined
    ? { platform, username }
    : 'username must be that of a creator'
}

type NamedPost = {
  platform: PlatformName
  post: { id: string; username: string; created_at: number }
  more: Record<string, unknown>
}

function readPost(platforms: Platforms, body: unknown): NamedPost | string {
  const wanted = readPlatform(body)
  if (wanted === null) return wantsPlatform
  const { platform, id, ...more } = wanted
  const { tiktok, instagram, youtube } = platforms
  const table = { tiktok: tiktok.posts, instagram: instagram.posts, youtube: youtube.videos }[platform]
  const post = typeof id === 'string' ? table.get(id) : undefined
  return post === undefined ? 'id must be that of a post' : { platform, post, more }
}

function readCounters(wanted: Record<string, unknown>): Partial<Counters> | string {
  const counters: Partial<Counters> = {}
  for (const [name, value] of Object.entries(wanted)) {
    const counter = counterNames.find((each) => each === name)
    if (counter === undefined) return `There is no counter "${name}". Counters: ${counterNames.join(', ')}`
    if (value !== null && !isCount(value)) return `"${name}" must be a whole number or null`
    counters[counter] = value
  }
  return counters
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function merge<T extends object>(
  reply: FastifyReply,
  table: Table<T>,
  id: string,
  fresh: T,
  change: Record<string, unknown>,
): T | FastifyReply {
  const current = table.get(id) ?? fresh
  for (const [name, value] of Object.entries(change)) {
    if (!Object.hasOwn(fresh, name)) {
      return refuse(reply, `There is no "${name}" here. Known: ${Object.keys(fresh).join(', ')}`)
    }
    const wanted = nullable[name] ?? describeType(asObject(fresh)?.[name])
    const fits = describeType(value) === wanted || (value === null && Object.hasOwn(nullable, name))
    if (!fits) return refuse(reply, `"${name}" must be a ${wanted}`)
  }
  const changed = { ...current, ...change }
  table.put(id, changed)
  return changed
}

const nullable: Record<string, string> = {
  redirect_uris: 'list of texts',
  privacy_level_options: 'list of texts',
  daily_limit: 'number',
}

const describeType = (value: unknown): string => (isListOfTexts(value) ? 'list of texts' : typeof value)

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function readFault(body: unknown): Omit<Fault, 'id'> | string {
  const wanted = readPlatform(body)
  if (wanted === null) return wantsPlatform
  const kind = faultKinds.find((name) => name === wanted.fault)
  if (kind === undefined) return `fault must be one of ${faultKinds.join(', ')}`
  const { platform, call, times = 1, after = 0, account = null, ms = 5000 } = wanted
  const numbers = { times, after, ms }
  const error = readError(kind, wanted)
  if (typeof error === 'string') return error
  if (typeof call !== 'string') return 'call is missing'
  if (!areCounts(numbers)) return 'times, after and ms must be numbers, 0 or more'
  if (account !== null && typeof account !== 'string') return 'account must be a username'
  return { platform, call, fault: kind, account, error, ...numbers }
}

function readError(kind: FaultKind, wanted: ForPlatform): ScriptedError | null | string {
  if (kind === 'late_effect') {
    if (wanted.platform !== 'instagram' || (wanted.call !== 'publish' && wanted.call !== 'comment'))
      return 'only a publish or a comment of Instagram takes effect late'
    if (wanted.code === undefined) return null
  } else if (kind !== 'error' && kind !== 'error_after') return null
  const { code, subcode = null, status = 400 } = wanted
  if (typeof status !== 'number') return 'status must be a number'
  if (subcode !== null && typeof subcode !== 'number') return 'subcode must be a number'
  switch (wanted.platform) {
    case 'tiktok':
      return 'only errors of Instagram are numbers'
    case 'instagram':
      return typeof code === 'number' ? { code, subcode, status } : 'code and status must be numbers'
    case 'youtube':
      return typeof code === 'string' ? { code, subcode: null, status } : 'code must be a reason of YouTube'
  }
}

const areCounts = <K extends string>(values: Record<K, unknown>): values is Record<K, number> =>
  Object.values(values).every((value) => Number.isInteger(value) && Number(value) >= 0)
