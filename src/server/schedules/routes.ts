import type { Handlers } from '../http/mount.ts'
import type { PauseDeps } from '../pauses/set-pause.ts'
import {
  changeQueue,
  createQueue,
  deleteQueue,
  listQueues,
  previewQueue,
  type QueueDeps,
} from './change-queue.ts'
import { listNextSlots } from './free-slots.ts'

export const queueRoutes = (
  deps: QueueDeps & PauseDeps,
): Handlers<
  'listQueues' | 'createQueue' | 'changeQueue' | 'previewQueue' | 'deleteQueue' | 'listNextSlots'
> => ({
  listQueues: ({ user }) => listQueues(deps, user.user_id),
  createQueue: ({ user, body }) => createQueue(deps, user.user_id, body),
  changeQueue: ({ user, params, body }) => changeQueue(deps, user.user_id, params.queueId, body),
  previewQueue: ({ user, params, body }) => previewQueue(deps, user.user_id, params.queueId, body),
  deleteQueue: ({ user, params }) => deleteQueue(deps, user.user_id, params.queueId),
  listNextSlots: async ({ user, params, query }) => {
    const { count, platforms = [], postId } = query
    const which = { queueId: params.queueId, count, platforms, postId, now: deps.now() }
    return listNextSlots(deps.db, user.user_id, which)
  },
})
