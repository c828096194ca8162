import { queryOptions } from '@tanstack/react-query'
import { call } from '#web/api/api.ts'

/** The user's API keys, the newest first. No secret is ever in it. */
export const apiKeysQuery = queryOptions({
  queryKey: ['API keys'],
  queryFn: ({ signal }) => call('listApiKeys', { signal }),
})
