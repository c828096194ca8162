import { randomUUID, createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { accountOnPlatform, type Account } from '#contract/accounts.ts'
import { VideoId, type AccountId } from '#contract/ids.ts'
import { PLATFORM_IDS, PLATFORM_OPTIONS } from '#contract/platforms/index.ts'
import { PROPOSED_OPTIONS } from '#contract/platforms/proposed-options.ts'
import type { DryRun } from '#contract/planning/dry-run.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import { call, callWithHeaders, type CallInput, Refused } from './client.ts'
import type { Api } from '#contract/api/api.ts'
import { Stop } from './ends.ts'
import { note } from './output.ts'
import { openRecord, parseJson, type Server } from './settings.ts'
import { findTargets, findZone, parseAt } from './targets.ts'
import { hashFile, openVideoFile, uploadVideo, type VideoFile } from './upload.ts'

export type PostOptions = {
  readonly to?: readonly string[]
  readonly caption?: string
  readonly captionFile?: string
  readonly at?: string
  readonly timezone?: string
  readonly now?: true
  readonly option?: readonly string[]
  readonly reference?: string
  readonly repeat?: true
  readonly dryRun?: true
}

type PostBody = CallInput<Api['createPost']>['body']

/** The promise that a command makes one post, however often it is run until it has told how that went. */
const Intent = z.object({
  key: z.string(),
  /** The video that was sent with the key; null: nothing was sent yet. */
  sent: VideoId.nullable(),
})

export type MadePost = {
  readonly post: Post
  /** An earlier run had made it. */
  readonly replayed: boolean
  /** Call this once the outcome was told: the next run of the same command makes another post. */
  readonly forget: () => void
}

export type TriedPost = { readonly tried: DryRun; readonly accounts: readonly Account[] }

/** Uploads a video, tries the post and makes it; with `dryRun` it is only tried. @throws Stop */
export async function makePost(
  server: Server,
  given: string,
  options: PostOptions,
): Promise<MadePost | TriedPost> {
  const local = readWhen(options)
  const text = readCaption(options)
  const source = readSource(given)
  const { accounts, brands } = await findTargets(server, options.to ?? [])
  const targets = readTargets(accounts, text, options.option ?? [])
  const planned: Omit<PostBody, 'video_id'> = {
    text,
    targets,
    ...(local !== null && {
      publish_at: { local, timezone: options.timezone ?? (await findZone(server, brands)) },
    }),
    ...(options.reference !== undefined && { reference: options.reference }),
  }
  const [first] = accounts
  const findReferred = async (reference: string): Promise<Post | null> =>
    first === undefined ? null : findByReference(server, reference, { source, accountId: first.account_id })
  const referred = options.reference === undefined ? null : await findReferred(options.reference)
  if (referred !== null && !options.dryRun) {
    // Another program may have made it: with a key of its own, so that this one would make a second post.
    assertSame(referred, planned)
    return { post: referred, replayed: true, forget: () => undefined }
  }
  // A reference is its own record, on whatever machine.
  const isKept = options.reference === undefined && !options.dryRun
  const record = isKept ? openRecord('post', [server.address, source, planned], Intent) : null
  const found = record?.readOr({ key: randomUUID(), sent: null }) ?? {
    key: referenceKey(options.reference ?? ''),
    sent: referred?.video.video_id ?? null,
  }
  const own =
    found.sent ?? (source.kind === 'library' ? source.video_id : await uploadVideo(server, source.file))
  /** The video that another run of the same command has sent with the key meanwhile. */
  const readSent = async (): Promise<VideoId | null> => {
    if (options.reference !== undefined)
      return (await findReferred(options.reference))?.video.video_id ?? null
    const now = record?.read()
    return now?.key === found.key ? now.sent : null
  }
  const intent = { key: found.key, sent: found.sent ?? (await readSent()) }
  const video_id = intent.sent ?? own
  const create = (id: VideoId) =>
    callWithHeaders(server, 'createPost', {
      body: { video_id: id, ...planned },
      idempotencyKey: intent.key,
    })

  try {
    // An earlier run has tried it, and may have made it: a dry run would take that post for another one.
    if (intent.sent === null || options.dryRun) {
      const tried = await call(server, 'tryPost', { body: { video_id, ...planned } })
      if (options.dryRun) return { tried, accounts }
      tellFindings(accounts, tried)
      if (!options.repeat && (await readSent()) === null) refuseRepeats(accounts, tried)
      record?.write({ ...intent, sent: video_id })
    }
    const made = await create(video_id).catch(async (error: unknown) => {
      // Another run, on another machine too, may have sent the same file at the same moment.
      const theirs = error instanceof Refused && error.problem === 'key_reused' ? await readSent() : null
      if (theirs === null || theirs === video_id) throw error
      return create(theirs)
    })
    return { post: made.reply, replayed: made.replayed, forget: () => record?.remove() }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    if (error.exit === 'unreachable')
      throw new Stop('unreachable', `${error.message} ${SAME_POST}`, { cause: error })
    if (error.code === 'key_reused' && options.reference !== undefined)
      throw new Stop('refused', `The reference "${options.reference}" ${OTHER_POST}`, { code: error.code })
    // Refused, so this key made no post, and the command can be changed and run again. One that was used is that of another run.
    if (error.exit === 'refused' && error.code !== 'key_reused') record?.remove()
    error.describeField = (field) => describeTarget(accounts, field)
    throw error
  }
}

const SAME_POST = 'Run the same command again: it makes the same post.'
const OTHER_POST =
  'belongs to a post with another text, time or accounts. Change that post, or use another reference.'

/** @throws Stop if the post has, or was given since, another text or other accounts */
function assertSame(post: Post, { text, targets }: Pick<PostBody, 'text' | 'targets'>): void {
  const wanted = new Set(targets.map(({ account_id: id }) => id))
  const isSame =
    post.text === text &&
    post.deliveries.length === wanted.size &&
    post.deliveries.every(({ account_id: id }) => wanted.has(id))
  if (!isSame)
    throw new Stop('refused', `The reference "${post.reference}" ${OTHER_POST}`, { code: 'key_reused' })
}

/** One key for one reference, whatever characters that has. */
const referenceKey = (reference: string): string =>
  `reelay-cli-${createHash('sha256').update(reference).digest('hex')}`

function readWhen({ at, now, timezone }: PostOptions): string | null {
  if (at !== undefined && now) throw new Stop('refused', 'Say either --at or --now.')
  if (at === undefined && !now)
    throw new Stop('refused', 'Say when it goes out: --now, or --at "2026-12-24 18:30".')
  if (at === undefined && timezone !== undefined) throw new Stop('refused', '--timezone is the zone of --at.')
  return at === undefined ? null : parseAt(at)
}

function readCaption({ caption, captionFile }: PostOptions): string {
  if (caption !== undefined && captionFile !== undefined)
    throw new Stop('refused', 'Say either --caption or --caption-file.')
  if (captionFile === undefined) return caption ?? ''
  if (!existsSync(captionFile)) throw new Stop('refused', `There is no file ${captionFile}.`)
  try {
    // Editors on Windows begin a file with a mark, which TextDecoder removes, and end lines with two characters.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(captionFile))
    return text.replaceAll('\r\n', '\n').trimEnd()
  } catch (cause) {
    throw new Stop('refused', `${captionFile} can't be read as a text in UTF-8.`, { cause })
  }
}

type Source =
  | { readonly kind: 'file'; readonly file: VideoFile }
  | { readonly kind: 'library'; readonly video_id: VideoId }

/** A file, or the id of a video in the library. */
function readSource(given: string): Source {
  const id = VideoId.safeParse(Number(given))
  if (id.success && /^\d+$/.test(given) && !existsSync(given)) return { kind: 'library', video_id: id.data }
  return { kind: 'file', file: openVideoFile(given) }
}

/** The post that an earlier run made with this reference, on whatever machine. @throws Stop if it is of another video */
async function findByReference(
  server: Server,
  reference: string,
  { source, accountId }: { readonly source: Source; readonly accountId: AccountId },
): Promise<Post | null> {
  // A key that is limited to some accounts must name one.
  const { items } = await call(server, 'listPosts', { query: { reference, accountId, limit: 1 } })
  const [post] = items
  if (post === undefined) return null
  const isSame =
    source.kind === 'library'
      ? source.video_id === post.video.video_id
      : (
          await call(server, 'getVideo', { params: { videoId: post.video.video_id } }).catch(
            (error: unknown) => {
              if (error instanceof Refused && error.problem === 'not_found') return null
              throw error
            },
          )
        )?.sha256 === (await hashFile(source.file))
  if (!isSame)
    throw new Stop('refused', `Post ${post.post_id} has the reference "${reference}" and another video.`)
  return post
}

/** `platform.name=value`, for all accounts of that platform. @throws Stop */
function readTargets(
  accounts: readonly Account[],
  text: string,
  given: readonly string[],
): NewPost['targets'] {
  const options = given.map((one) => {
    const [, platform, name, value] = /^(\w+)\.(\w+)=(.*)$/s.exec(one) ?? []
    const id = PLATFORM_IDS.find((known) => known === platform)
    if (id === undefined || name === undefined || value === undefined)
      throw new Stop(
        'refused',
        `"${one}" is no option. Write <platform>.<name>=<value>, with one of ${PLATFORM_IDS.join(', ')}.`,
      )
    if (!Object.hasOwn(PLATFORM_OPTIONS[id].shape, name))
      throw new Stop(
        'refused',
        `There is no option ${id}.${name}. There are: ${Object.keys(PLATFORM_OPTIONS[id].shape).join(', ')}.`,
      )
    if (!accounts.some((account) => account.platform === id))
      throw new Stop('refused', `None of the accounts takes the option "${one}".`)
    return { id, name, value: parseValue(PLATFORM_OPTIONS[id].shape, name, value) }
  })
  return accounts.map((account) => ({
    account_id: account.account_id,
    options: {
      // As the composer does: a title that nobody wrote is the first line of the caption.
      ...Object.fromEntries(
        Object.entries(PROPOSED_OPTIONS[account.platform]).map(([name, propose]) => [name, propose(text)]),
      ),
      ...Object.fromEntries(
        options.filter(({ id }) => id === account.platform).map(({ name, value }) => [name, value]),
      ),
    },
  }))
}

/** A text where the option takes this one, else JSON: `2026` is a title, and `false`, `3000` and `["a"]` are none. */
function parseValue(shape: Readonly<Record<string, z.ZodType>>, name: string, text: string): unknown {
  return shape[name]?.safeParse(text).success ? text : (parseJson(text) ?? text)
}

/** `targets.2.options.privacy` as a person would say it, with the option to write. */
function describeTarget(accounts: readonly Account[], field: string): string {
  const [, index = '', option] = /^targets\.(\d+)(?:\.options\.(\w+))?/.exec(field) ?? []
  const account = index === '' ? undefined : accounts[Number(index)]
  if (account === undefined) return field
  const name = accountOnPlatform(account)
  return option === undefined ? name : `${name}, --option ${account.platform}.${option}=…`
}

/** What a platform would refuse is refused by the call itself; the rest is a warning. */
function tellFindings(accounts: readonly Account[], { targets }: DryRun): void {
  for (const { account_id: id, findings } of targets)
    for (const { message, remedy } of findings) note(`${nameAccount(accounts, id)}: ${message} ${remedy}`)
}

/** @throws Stop if the video went or will go to one of the accounts already */
function refuseRepeats(accounts: readonly Account[], { similar }: DryRun): void {
  const lines = listRepeats(accounts, similar)
  if (lines.length === 0) return
  throw new Stop('refused', `${lines.join(' ')} Add --repeat to post it again.`, { code: 'already_posted' })
}

/** A sentence for each account that got the video lately, or gets it soon. */
export const listRepeats = (accounts: readonly Account[], similar: DryRun['similar']): string[] =>
  similar
    .filter(({ same }) => same === 'video' || same === 'both')
    .map(
      ({ account_id: id, post_id: post }) => `${nameAccount(accounts, id)} has this video by post ${post}.`,
    )

export function nameAccount(accounts: readonly Account[], id: AccountId): string {
  const account = accounts.find((one) => one.account_id === id)
  return account ? accountOnPlatform(account) : String(id)
}
