import type { Delivery } from '#contract/deliveries.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { Post } from '#contract/posts.ts'
import { until, type Person } from './harness.ts'
import type { Sample } from './sample.ts'

/** The specification's two forms, as its browser sends them: the file first. */
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
  return send(someone, '/platforms/tiktok/video', form)
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
  return send(someone, '/platforms/instagram/media', form)
}

async function send(someone: Person, path: string, form: FormData): Promise<Post> {
  const answer = await someone.request(path, { method: 'POST', body: form })
  const text = await answer.text()
  if (answer.status !== 202) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return Post.parse(JSON.parse(text))
}

/** The post's one delivery, once it is in one of these states. */
export const delivered = (
  someone: Person,
  post: Post,
  states: readonly Delivery['status'][],
  timeoutMs = 60_000,
): Promise<Delivery> =>
  until(
    `the delivery of post ${post.post_id} to be ${states.join(' or ')}`,
    async () => {
      const now = await someone.call('getPost', { params: { postId: post.post_id } })
      const [delivery] = now.deliveries
      return delivery && states.includes(delivery.status) ? delivery : null
    },
    timeoutMs,
  )
