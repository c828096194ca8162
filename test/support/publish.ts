import { readFileSync } from 'node:fs'
import type { Delivery } from '#contract/deliveries.ts'
import type { AccountId, VideoId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { Post } from '#contract/posts.ts'
import { Picture, Video } from '#contract/videos.ts'
import { linkAccount, signUp, until, type Person, type TestServer } from './test-server.ts'
import { REQUIRED_OPTIONS } from './options.ts'
import { fixture, sampleVideo, type Sample } from './sample.ts'

/** The specification's form as its browser sends it: the file first. */
export async function postTikTok(
  someone: Person,
  accountId: number,
  sample: Sample,
  title = 'Hello',
): Promise<Post> {
  const form = new FormData()
  form.append('videoFile', sample.file)
  form.append('post_info', JSON.stringify({ title, privacy_level: 'PUBLIC_TO_EVERYONE' }))
  form.append('source_info', JSON.stringify(tiktokSourceInfo(sample.bytes)))
  form.append('accountId', String(accountId))
  return Post.parse(await send(someone, '/platforms/tiktok/video', form))
}

export async function postInstagram(
  someone: Person,
  accountId: number,
  sample: Sample,
  caption = 'Hello',
): Promise<Post> {
  const form = new FormData()
  form.append('video', sample.file)
  form.append('post_info', JSON.stringify({ caption }))
  form.append('accountId', String(accountId))
  return Post.parse(await send(someone, '/platforms/instagram/media', form))
}

/** Without a form of its own: as the composer posts. */
export async function postYouTube(
  someone: Person,
  accountId: number,
  sample: Sample,
  text = 'Hello',
): Promise<Post> {
  const { video_id } = await uploadVideo(someone, sample.file)
  const targets = [{ account_id: accountId, options: { ...REQUIRED_OPTIONS.youtube } }]
  return someone.call('createPost', { body: { video_id, text, targets } })
}

export async function uploadVideo(someone: Person, file: File = sampleVideo().file): Promise<Video> {
  const form = new FormData()
  form.append('file', file)
  return Video.parse(await send(someone, '/videos', form))
}

export async function uploadPicture(someone: Person, name = 'poster-1.jpg'): Promise<Picture> {
  const form = new FormData()
  form.append('picture', new File([readFileSync(fixture(name))], name, { type: 'image/jpeg' }))
  return Picture.parse(await send(someone, '/pictures', form))
}

/** A new user with a video, and a brand with an account of each platform. */
export async function signUpToPost(testServer: TestServer) {
  const person = await signUp(testServer)
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind' } })
  const link = async (platform: PlatformId) => (await linkAccount(person, { platform, brandId })).account_id
  return {
    person,
    brandId,
    tiktok: await link('tiktok'),
    instagram: await link('instagram'),
    videoId: (await uploadVideo(person)).video_id,
  }
}

type ScheduledPost = {
  videoId: VideoId
  text: string
  accountIds: readonly AccountId[]
  inDays: number
  options?: Readonly<Record<string, unknown>>
}

/** Schedules a post for eight in the morning of a future day, in the test users' zone. */
export async function schedulePost(someone: Person, post: ScheduledPost): Promise<Post> {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Lisbon' }).format(Date.now())
  // Counts dates: a day in Lisbon may have 25 hours.
  const day = new Date(Date.parse(today) + post.inDays * 86_400_000).toISOString().slice(0, 10)
  return someone.call('createPost', {
    body: {
      video_id: post.videoId,
      text: post.text,
      targets: post.accountIds.map((account_id) => ({ account_id, options: post.options ?? {} })),
      publish_at: { local: `${day}T08:00`, timezone: 'Europe/Lisbon' },
    },
  })
}

async function send(someone: Person, path: string, form: FormData): Promise<unknown> {
  const answer = await someone.request(path, { method: 'POST', body: form })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

export const delivered = (
  someone: Person,
  post: Post,
  states: readonly Delivery['status'][],
): Promise<Delivery> =>
  until(`the delivery of post ${post.post_id} to be ${states.join(' or ')}`, async () => {
    const now = await someone.call('getPost', { params: { postId: post.post_id } })
    const [delivery] = now.deliveries
    return delivery && states.includes(delivery.status) ? delivery : null
  })
