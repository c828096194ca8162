import { useSyncExternalStore } from 'react'
import { useStoreEntry, useUid } from '#web/session/browser-store.ts'
import { addFiles, removeUpload, retryUpload, type QueuedUpload } from './upload-queue.ts'

/** The files that the user uploads here, whatever screen is shown meanwhile. */
export function useUploads() {
  const uid = useUid()
  const queue = useStoreEntry<readonly QueuedUpload[]>('library uploads', [])
  return {
    list: useSyncExternalStore(queue.subscribe, queue.get),
    add: (files: readonly File[]) => addFiles(queue, uid, files),
    retry: (upload: QueuedUpload) => retryUpload(queue, uid, upload),
    remove: ({ id }: QueuedUpload) => removeUpload(queue, id),
  }
}
