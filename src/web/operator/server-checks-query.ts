import { queryOptions } from '@tanstack/react-query'
import { call } from '#web/api/api.ts'

export const serverChecksQuery = queryOptions({
  queryKey: ['server', 'checks'],
  queryFn: ({ signal }) => call('listServerChecks', { query: {}, signal }),
})
