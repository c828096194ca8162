import { readFile } from 'node:fs/promises'
import type { PlatformId } from '#contract/platforms/index.ts'
import { consent, control, linkAccount, until, type Person } from '../../support/test-server.ts'
import { delivered, postInstagram, postTikTok, schedulePost, uploadVideo } from '../../support/publish.ts'
import { fixture, sampleVideo } from '../../support/sample.ts'
import { misbehave, type Reelay } from './fixtures.ts'

/**
 * Two brands with linked accounts, and a post in each state that a user meets: all created through the product, with the
 * practice platforms behaving accordingly.
 */
export async function createSeedData(reelay: Reelay, person: Person): Promise<void> {
  const creator = (platform: PlatformId, username: string, change: object = {}) =>
    control(reelay.practiceUrl, 'POST', '/_control/accounts', { platform, username, ...change })
  const link = async (platform: PlatformId, brandId: number, username: string) => {
    await creator(platform, username)
    return (await linkAccount(person, { platform, brandId, creator: username })).account_id
  }
  const brand = async (title: string) => (await person.call('createBrand', { body: { title } })).brand_id

  const bakery = await brand('Northwind Bakery')
  const coffee = await brand('Harbour Coffee')
  await brand('Thistledown and Daughters, Purveyors of Fine Teas')
  const bakeryTikTok = await link('tiktok', bakery, 'northwind.bakery')
  const bakeryInstagram = await link('instagram', bakery, 'northwind.bakery')
  await creator('tiktok', 'emma.bakes')
  await linkWithoutPosting(person, bakery, 'emma.bakes')
  const coffeeTikTok = await link('tiktok', coffee, 'harbour_coffee')
  const coffeeInstagram = await link('instagram', coffee, 'harbour_coffee')

  const published = [
    await postTikTok(person, bakeryTikTok, sampleVideo(), 'Three ways to plate a tart'),
    await postInstagram(
      person,
      bakeryInstagram,
      sampleVideo(3_400_000),
      'Fresh from the oven at six in the morning, every morning, for forty years\n#bakery #sourdough',
    ),
  ]
  for (const [at, { video }] of published.entries()) await givePicture(person, video.video_id, at + 1)
  await creator('tiktok', 'harbour_coffee', { banned: true })
  const failed = await postTikTok(person, coffeeTikTok, sampleVideo(), 'Latte art in ten seconds')
  await givePicture(person, failed.video.video_id, 3)
  // Instagram reported room and refused all the same, as after a post by another app.
  await misbehave(reelay, {
    platform: 'instagram',
    call: 'publish',
    fault: 'error',
    account: 'harbour_coffee',
    code: 9,
    subcode: 2207042,
  })
  const held = await postInstagram(person, coffeeInstagram, sampleVideo(), 'Meet the roaster')
  await givePicture(person, held.video.video_id, 1)
  for (const post of published) await delivered(person, post, ['published'])
  await delivered(person, failed, ['failed'])
  await delivered(person, held, ['blocked'])
  // The next post waits until that is over.
  const waiting = await postInstagram(person, coffeeInstagram, sampleVideo(), 'Beans from the harbour')
  await givePicture(person, waiting.video.video_id, 2)
  await until('the post to say what it waits for', async () => {
    const { deliveries } = await person.call('getPost', { params: { postId: waiting.post_id } })
    return deliveries[0]?.reason ?? null
  })

  await misbehave(reelay, {
    platform: 'tiktok',
    call: 'init',
    fault: 'stuck_processing',
    account: 'northwind.bakery',
  })
  const stuck = await postTikTok(person, bakeryTikTok, sampleVideo(), 'Opening day in Lisbon')
  await givePicture(person, stuck.video.video_id, 4)
  await delivered(person, stuck, ['processing'])
  const { video_id: videoId } = await uploadVideo(person)
  await givePicture(person, videoId, 2)
  const accountIds = [bakeryTikTok, bakeryInstagram]
  await schedulePost(person, { videoId, text: 'Advent calendar, door one', accountIds, inDays: 1 })
}

/** Like the browser for a video that it sends. Without pictures, two open libraries would each make one. */
async function givePicture(person: Person, videoId: number, picture: number): Promise<void> {
  const form = new FormData()
  form.append('poster', new File([await readFile(fixture(`poster-${picture}.jpg`))], 'poster.jpg'))
  const answer = await person.request(`/videos/${videoId}/poster`, { method: 'PUT', body: form })
  if (answer.status !== 200) throw new Error(`the picture was answered with ${answer.status}`)
}

async function linkWithoutPosting(person: Person, brandId: number, creator: string): Promise<void> {
  const params = { platform: 'tiktok' } as const
  const { url, state } = await person.call('startLink', { params, body: { brand_id: brandId } })
  const back = await consent(url, { creator, decision: 'approve', scopes: ['user.info.basic'] })
  const code = back.searchParams.get('code') ?? ''
  await person.call('finishLink', { params, body: { code, state, brand_id: brandId } })
}
