import { z } from 'zod'
import { UploadId } from '#contract/ids.ts'

/** What one tab says of an upload that another one may be sending or watching. */
const Message = z.object({ uploadId: UploadId, what: z.enum(['taken', 'paused', 'cancelled']) })
export type TabMessage = z.infer<typeof Message>

/** Null: the browser has none, or refuses it where site data is blocked. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('uploads')
  } catch {
    return null
  }
}

/** One channel for each running upload: the page's own are told too. Without one the server keeps tabs apart. */
export function openTabMessages(onMessage: (message: TabMessage) => void) {
  const channel = openChannel()
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = Message.safeParse(data)
    if (message.success) onMessage(message.data)
  })
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
    tell: (message: TabMessage) => channel?.postMessage(message),
    close: () => channel?.close(),
  }
}
