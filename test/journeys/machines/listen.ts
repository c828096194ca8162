import { setTimeout as sleep } from 'node:timers/promises'
import type { Post } from '#contract/posts.ts'
import { type Person, until } from '../../support/test-server.ts'

/** Receives a person's changes; reconnects from the last event, like the app. */
export function listen(someone: Person) {
  const stopping = new AbortController()
  const heard = new Set<number>()
  let lastId: string | null = null
  const read = async () => {
    const answer = await someone.request('/events', {
      signal: stopping.signal,
      ...(lastId !== null && { headers: { 'last-event-id': lastId } }),
    })
    if (!answer.ok || answer.body === null) return
    let text = ''
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (const [, id] of text.matchAll(/"delivery":\{"delivery_id":(\d+),/g)) heard.add(Number(id))
      for (const [, id = null] of text.matchAll(/^id: (\d+)\n(?=data: .*\n\n)/gm)) lastId = id
      text = text.slice(text.lastIndexOf('\n\n') + 1)
    }
  }
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await read().catch(() => {}) // the connection ended
      await sleep(100)
    }
  }
  const ended = loop()
  return {
    heardOf: ({ post_id: postId, deliveries }: Post) =>
      until(`news of post ${postId}`, async () => deliveries.some((one) => heard.has(one.delivery_id))),
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
