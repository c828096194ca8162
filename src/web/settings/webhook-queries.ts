import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { WebhookId, WebhookMessageId } from '#contract/ids.ts'
import type { Webhook } from '#contract/webhooks.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'

/** The user's webhooks. No secret is ever in it. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => call('listWebhooks', { signal }),
})

/** What is waiting is sent within seconds, and then the log shows the answer. */
const WAITING_POLL_MS = 2_000
const POLL_MS = 15_000

/** What a webhook was sent, latest first, a page at a time. */
export const webhookLogQuery = (webhookId: WebhookId) =>
  infiniteQueryOptions({
    queryKey: ['webhook log', webhookId],
    queryFn: ({ pageParam }) =>
      call('listWebhookMessages', { params: { webhookId }, query: { cursor: pageParam ?? undefined } }),
    initialPageParam: null as string | null, // the first page has no cursor
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === 'waiting'))
        ? WAITING_POLL_MS
        : POLL_MS,
  })

/** A message with its body and answer; `attempts` asks anew after each. */
export const webhookMessageQuery = (webhookId: WebhookId, messageId: WebhookMessageId, attempts: number) =>
  queryOptions({
    queryKey: ['webhook message', webhookId, messageId, attempts],
    queryFn: ({ signal }) => call('getWebhookMessage', { params: { webhookId, messageId }, signal }),
  })

/** Shows a webhook as a call answered it. */
export const storeWebhook = (webhook: Webhook): void => {
  queryClient.setQueryData(webhooksQuery.queryKey, (webhooks) =>
    webhooks?.map((one) => (one.webhook_id === webhook.webhook_id ? webhook : one)),
  )
}
