import type { FastifyRequest } from 'fastify'
import { pathPart } from '../kit/http/body.ts'
import type { Answer, Call, Outcome } from '../kit/http/serve.ts'
import { readContainer } from './container.ts'
import { fetchVideo } from './fetch/fetch.ts'
import {
  authenticate,
  graphError,
  invalidParameter,
  json,
  missingObject,
  readParameters,
  scriptedError,
} from './graph/answers.ts'
import { makeLive, publishLater } from './state/late-publishes.ts'
import {
  appScopedId,
  basicScope,
  containerLifetimeMs,
  newContainerId,
  postsSince,
  publishScope,
  quotaTotal,
  userId,
  type Container,
  type Creator,
  type Instagram,
} from './state/state.ts'

const day = 86_400_000

/** Both ids and `me` work in paths; ids of others do not exist there. */
export const isOwn = (creator: Creator, id: string): boolean =>
  id === 'me' || id === userId(creator.username) || id === appScopedId(creator.username)

export const pathId = (request: FastifyRequest): string => pathPart(request, 'id')

export async function create(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, publishScope)
  if ('status' in caller) return caller
  const { creator } = caller
  if (!isOwn(creator, pathId(call.request))) return missingObject(pathId(call.request))
  if (creator.account_type === 'PERSONAL') {
    return graphError({ code: 10, status: 403, message: 'the user is not an instagram business' })
  }
  const wanted = readContainer(parameters)
  if ('status' in wanted) return wanted
  const recent = instagram.containers
    .all()
    .filter((each) => each.username === creator.username && each.created_at > instagram.clock.now() - day)
  // "Max 400 containers per account per rolling 24 h"; the code of the refusal is our assumption.
  if (recent.length >= 400) return tooManyPosts()

  const container: Container = {
    id: newContainerId(),
    username: creator.username,
    ...wanted,
    created_at: instagram.clock.now(),
    stuck: call.fault?.fault === 'stuck_processing',
    fetched: { state: 'fetching' },
    media_id: null,
  }
  instagram.containers.put(container.id, container)
  fetchVideo(instagram, container)
  return json(200, { id: container.id })
}

export type ContainerState = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED'

export function containerState(instagram: Instagram, container: Container): ContainerState {
  const now = instagram.clock.now()
  if (container.media_id !== null) return 'PUBLISHED'
  if (container.created_at + containerLifetimeMs <= now) return 'EXPIRED'
  if (container.stuck || container.fetched.state === 'fetching') return 'IN_PROGRESS'
  if (container.fetched.at + instagram.settings.get().instagram_processing_ms > now) return 'IN_PROGRESS'
  return container.fetched.state === 'ready' ? 'FINISHED' : 'ERROR'
}

/** `POST /{user_id}/media_publish`: answer and effect are independent. */
export async function publish(instagram: Instagram, call: Call): Promise<Outcome> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, publishScope)
  if ('status' in caller) return caller
  const { creator } = caller
  if (!isOwn(creator, pathId(call.request))) return missingObject(pathId(call.request))
  const creationId = parameters.get('creation_id')
  if (creationId === null) return invalidParameter('The parameter creation_id is required')
  const container = instagram.containers.get(creationId)
  if (container === undefined || container.username !== creator.username) {
    return graphError({
      code: 24,
      subcode: 2207006,
      message: 'The requested resource does not exist',
      userTitle: 'Media not found',
    })
  }
  const refused = publishRefusal(instagram, creator, container, call)
  if (refused !== null) return refused

  if (call.fault?.fault === 'late_effect') {
    publishLater(instagram, container, call.fault.ms)
    return call.fault.error === null ? 'cut' : scriptedError(call.fault.error)
  }
  const isAgain =
    container.media_id !== null && instagram.settings.get().instagram_published_again === 'same_id'
  const mediaId = isAgain ? container.media_id : makeLive(instagram, container)
  if (call.fault?.fault === 'publish_error_but_live') {
    return graphError({
      code: 4,
      subcode: 2207051,
      message: 'Application request limit reached',
      userTitle: 'Action is blocked',
      userMessage: 'We restrict certain activity to protect our community.',
    })
  }
  return json(200, { id: mediaId })
}

function publishRefusal(
  instagram: Instagram,
  creator: Creator,
  container: Container,
  call: Call,
): Answer | null {
  if (creator.banned) {
    return graphError({
      code: 25,
      subcode: 2207050,
      message: 'The Instagram account is restricted.',
      userTitle: 'Account restricted',
    })
  }
  switch (containerState(instagram, container)) {
    case 'PUBLISHED':
      // The real answer is unknown. A careful client never asks.
      call.flag = 'published_again'
      if (instagram.settings.get().instagram_published_again === 'refused') return creationIdGone()
      break
    case 'EXPIRED':
      return creationIdGone()
    case 'IN_PROGRESS':
    case 'ERROR':
      return graphError({
        code: 9007,
        subcode: 2207027,
        message: 'Media ID is not available',
        userTitle: 'Media is not ready',
        userMessage: 'The media is not ready for publishing, please wait for a moment',
      })
    case 'FINISHED':
      break
  }
  if (container.media_type === 'VIDEO') {
    return graphError({
      code: 100,
      subcode: 2207089,
      message: 'Invalid parameter',
      userTitle: 'Carousel item cannot be published standalone',
      userMessage: 'Use REELS to publish a video.',
    })
  }
  const published = postsSince(instagram, creator.username, instagram.clock.now() - day).length
  return published >= quotaTotal(instagram, creator) ? tooManyPosts() : null
}

const creationIdGone = (): Answer =>
  graphError({
    code: 24,
    subcode: 2207008,
    message: 'The requested resource does not exist',
    userTitle: 'Creation id is missing or expired',
  })

const tooManyPosts = (): Answer =>
  graphError({
    code: 9,
    subcode: 2207042,
    message: 'Application request limit reached',
    userTitle: 'Daily publishing limit reached',
    userMessage: 'You reached the number of posts that may be published in a day.',
  })

export async function quota(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, basicScope)
  if ('status' in caller) return caller
  const { creator } = caller
  if (!isOwn(creator, pathId(call.request))) return missingObject(pathId(call.request))
  const now = instagram.clock.now()
  const since = parameters.has('since') ? Number(parameters.get('since')) * 1000 : now - day
  // "since: a Unix timestamp no older than 24 hours"; a minute is allowed for differing clocks.
  if (!Number.isFinite(since) || since < now - day - 60_000)
    return invalidParameter('Invalid parameter: since')
  const usage = postsSince(instagram, creator.username, since).length
  const fields = (parameters.get('fields') ?? 'quota_usage').split(',')
  return json(200, {
    data: [
      {
        ...(fields.includes('quota_usage') ? { quota_usage: usage } : {}),
        ...(fields.includes('config')
          ? { config: { quota_total: quotaTotal(instagram, creator), quota_duration: 86_400 } }
          : {}),
      },
    ],
  })
}
