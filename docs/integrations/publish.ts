// Posts a video to some accounts, once, however often it runs: REELAY_URL=… REELAY_API_KEY=… node publish.ts video.mp4 "Caption" 12,15
// Needs Node 22.18 or later, which runs TypeScript.
// The numbers are ids of accounts, as GET /api/v1/accounts lists them.
// Load reelay.ts, the client of your server, beside this file: curl -O https://your-reelay/help/api/reelay.ts
import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReelay, type Delivery, ReelayError } from './reelay.ts'

const [file = '', text = '', accounts = ''] = process.argv.slice(2)
const accountIds = accounts.split(',').map(Number)
const { REELAY_URL: url = '', REELAY_API_KEY: key = '' } = process.env
const reelay = createReelay({ url, key })

// The same video for the same accounts is the same post, also if an earlier run lost the answer.
const hash = createHash('sha256').update(accounts)
for await (const chunk of createReadStream(file)) hash.update(chunk)
const reference = hash.digest('hex')

try {
  // A key that is limited to some brands or accounts must say of which it asks.
  const query = { reference, accountId: accountIds[0] ?? 0 }
  const earlier = (await reelay('listPosts', { query })).items[0]
  const post = earlier ?? (await makePost())
  const outcome = await waitForEnd(post.post_id)
  for (const { account_id, username, status, url: address } of outcome.deliveries)
    console.log(`${account_id} ${username}: ${status} ${address ?? ''}`)
  process.exitCode = outcome.deliveries.every(({ status }) => status === 'published') ? 0 : 1
} catch (error) {
  if (!(error instanceof ReelayError)) throw error
  console.error(`${error.message} (${error.code})`, error.errors)
  process.exitCode = 2
}

async function makePost() {
  const video = new File([await openAsBlob(file)], path.basename(file), { type: 'video/mp4' })
  const { video_id } = await reelay('uploadVideo', { body: { file: video } })
  const body = {
    video_id,
    text,
    reference,
    targets: accountIds.map((account_id) => ({ account_id })),
  }
  const { targets, similar } = await reelay('tryPost', { body })
  for (const { findings } of targets) for (const finding of findings) console.warn(finding)
  if (similar.length > 0) console.warn('Much the same was posted before:', similar)
  return reelay('createPost', { headers: { 'Idempotency-Key': reference }, body })
}

/** A delivery that is unconfirmed or blocked waits for a person, so it has ended for a script. */
async function waitForEnd(post_id: number) {
  const moving: Delivery['status'][] = ['scheduled', 'preparing', 'committing', 'processing']
  for (;;) {
    const post = await reelay('getPost', { params: { postId: post_id } })
    if (!post.deliveries.some(({ status }) => moving.includes(status))) return post
    await sleep(2000)
  }
}
