import { describe, expect, it } from 'vitest'
import { control, until } from '#test/support/test-server.ts'
import { delivered, postTikTok } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { FORBIDDEN, startWebhookFixture, OK } from '#test/support/webhook-fixture.ts'

const {
  testServer,
  seconds,
  setting,
  tiktokSignature,
  sendTikTok,
  createEvent,
  link,
  newCreator,
  readRow,
  countCalls,
  processing,
  readResting,
} = startWebhookFixture()

describe('an event about a post', () => {
  it('triggers a check of the platform at once and changes nothing itself', async () => {
    const { creator, post, about } = await processing()
    expect(await countCalls('status', creator)).toBe(0)
    // TikTok is still processing: the reported failure is not true.
    expect(await sendTikTok(about('post.publish.failed'))).toEqual(OK)
    await until('TikTok to be asked', async () => (await countCalls('status', creator)) === 1)
    const { state } = await until('the worker to let go', () => readResting(post))
    expect(state).toBe('processing')
  })

  it('completes the post in any order and any number of repeats', async () => {
    const { someone, creator, post, about } = await processing()
    await setting({ tiktok_processing_ms: 0 })
    const [last, first] = [about('post.publish.publicly_available'), about('post.publish.complete')]
    for (const text of [last, last, first, last, first]) expect(await sendTikTok(text)).toEqual(OK)
    expect((await delivered(someone, post, ['published', 'failed'])).status).toBe('published')
    expect(await sendTikTok(about('post.publish.failed'))).toEqual(OK)
    await until('the worker to let go', () => readResting(post))
    expect((await delivered(someone, post, ['published', 'failed'])).status).toBe('published')
    const posts = (await control(testServer().practiceUrl, 'GET', '/_control/posts')) as { account: string }[]
    expect(posts.filter(({ account }) => account === creator)).toHaveLength(1)
  })

  it('during a running check triggers one more check', async () => {
    const { someone, creator, post, about } = await processing()
    await control(testServer().practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'status',
      fault: 'slow',
      ms: 1500,
      account: creator,
    })
    expect(await sendTikTok(about('post.publish.failed'))).toEqual(OK)
    // TikTok has made its answer ("processing") before it is delayed.
    await until('TikTok to be asked', async () => (await countCalls('status', creator)) === 1)
    await setting({ tiktok_processing_ms: 0 })
    expect(await sendTikTok(about('post.publish.complete'))).toEqual(OK)
    expect((await delivered(someone, post, ['published', 'failed'])).status).toBe('published')
  })

  it('that is repeated triggers no further check', async () => {
    const { creator, post, about } = await processing()
    const text = about('post.publish.complete')
    expect(await sendTikTok(text)).toEqual(OK)
    const asked = await until(
      'TikTok to be asked',
      async () => (await countCalls('status', creator)) === 1 && readResting(post),
    )
    // TikTok signs each repetition anew.
    const again = [
      tiktokSignature(text),
      tiktokSignature(text, seconds() + 60),
      tiktokSignature(text, seconds() - 60),
    ]
    const answers = await Promise.all(again.map((header) => sendTikTok(text, header)))
    expect(answers).toEqual([OK, OK, OK])
    expect(await readResting(post)).toEqual(asked)
  })

  it('that is forged, changed or late triggers no check', async () => {
    const { post, about } = await processing()
    const before = await readResting(post)
    const text = about('post.publish.complete')
    const refused = await Promise.all([
      sendTikTok(text, ''),
      sendTikTok(text, tiktokSignature(text, seconds(), 'the secret of another app')),
      sendTikTok(text, tiktokSignature(text, seconds() - 301)),
      sendTikTok(text, tiktokSignature(text, seconds() + 302)),
      sendTikTok(text.replace('complete', 'failed'), tiktokSignature(text)),
      sendTikTok(text.slice(0, -1), tiktokSignature(text)),
      sendTikTok(`${text} `, tiktokSignature(text)),
      sendTikTok('', tiktokSignature(text)),
    ])
    expect(refused).toEqual(refused.map(() => FORBIDDEN))
    expect(refused).toHaveLength(8)
    expect(await readResting(post)).toEqual(before)
  })

  it('for an unknown post, account or event type is answered 200 and ignored', async () => {
    const { post, openId, publishId, about } = await processing()
    const before = await readResting(post)
    const content = { publish_id: publishId }
    const strange = [
      createEvent({ openId, event: 'post.publish.complete', content: { publish_id: 'v_pub_file~v2-1.1' } }),
      createEvent({ openId: '-000nobody', event: 'post.publish.complete', content }),
      createEvent({ openId, event: 'video.publish.completed', content }),
      createEvent({ openId, event: 'post.publish.complete', content: { publish_id: ['a'] } }),
      about('post.publish.complete').replace('practice-tiktok-key', 'another-app'),
      ...['\0', `${openId}\0`, '\ud800', 'a b', ''].flatMap((id) => [
        createEvent({ openId: id, event: 'post.publish.complete', content }),
        createEvent({ openId: id, event: 'authorization.removed', content: {} }),
        createEvent({ openId, event: 'post.publish.complete', content: { publish_id: id } }),
      ]),
      createEvent({ openId, event: 'post.publish.\0', content }),
      createEvent({
        openId,
        event: 'post.publish.complete',
        content: { publish_id: 'v_pub~1', post_id: '\0' },
      }),
      `${about('post.publish.complete')}\0`,
      'not JSON',
      '[[]]',
    ]
    for (const text of strange) expect([text, await sendTikTok(text)]).toEqual([text, OK])
    expect(await readResting(post)).toEqual(before)
  })

  it('for an unlinked account does nothing', async () => {
    const { accountId, post, about } = await processing()
    await testServer()
      .deps.db.updateTable('accounts')
      .set({ tokens: null, unlinked_at: new Date() })
      .where('account_id', '=', accountId)
      .execute()
    const before = await readResting(post)
    expect(await sendTikTok(about('post.publish.complete'))).toEqual(OK)
    expect(await readResting(post)).toEqual(before)
  })

  it('does not shorten a wait that the platform asked for', async () => {
    const creator = await newCreator('tiktok')
    const { someone, accountId } = await link('tiktok', creator)
    await control(testServer().practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'final_chunk',
      fault: 'status_429',
      account: creator,
      times: 3,
    })
    const post = await postTikTok(someone, accountId, sampleVideo())
    await delivered(someone, post, ['preparing'])
    const waiting = await until('the worker to let go', () => readResting(post))
    expect(waiting).toMatchObject({
      state: 'preparing',
      publishId: expect.stringContaining('v_pub_file') as string,
    })
    const { external_id: openId } = await readRow(accountId)
    const content = { publish_id: waiting.publishId }
    expect(await sendTikTok(createEvent({ openId, event: 'post.publish.complete', content }))).toEqual(OK)
    expect(await readResting(post)).toEqual(waiting)
  })
})
