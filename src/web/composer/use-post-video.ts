import { useEffect, useEffectEvent } from 'react'
import type { Video } from '#contract/videos.ts'
import { localFileOf, movePoster } from '#web/videos/local-files.ts'
import { uploadForPost, type PlanFile } from '#web/videos/upload-video.ts'
import { useShownUpload } from '#web/videos/use-upload.ts'
import { removeUpload, type Upload } from '#web/videos/uploads.ts'

export type PostVideo = {
  /** Its upload has the same name. */
  draftId: string
  video: Video | null
  onVideo: (video: Video | null) => void
  coverMs: number
  onCover: (ms: number) => void
  planFile: PlanFile
}

/** The video of a post: a stored one, or a file on its way to become one, which is then handed to the post. */
export function usePostVideo({ draftId, video, onVideo, coverMs, onCover, planFile }: PostVideo) {
  const { place, upload } = useShownUpload<Video>(draftId)
  const isUploading = upload?.state.kind === 'uploading'
  const uploaded = upload?.state.kind === 'done' ? upload.state.reply : null
  const videoId = video?.video_id ?? null
  const replaceBy = (other: Video | null, keepsCover = false) => {
    if (videoId !== null && coverMs !== 0 && !keepsCover) onCover(0)
    if (other?.video_id !== videoId) onVideo(other)
  }
  const { id } = place
  const follow = useEffectEvent((other: Video | null) => replaceBy(other, upload?.keepsCover))
  useEffect(() => {
    // Not before: the file may turn out to be no video.
    if (isUploading && videoId !== null) follow(null)
    // The upload may have ended while another screen was shown.
    if (uploaded !== null && videoId !== uploaded.video_id) follow(uploaded)
    else if (uploaded !== null) void removeUpload(id)
  }, [id, isUploading, uploaded, videoId])
  useEffect(() => {
    if (videoId !== null) movePoster(videoId, coverMs)
  }, [videoId, coverMs])
  return {
    place,
    upload,
    file: fileOfPost(upload, video),
    choose: (file: File) => void uploadForPost(place, file, planFile),
    pick: (other: Video | null) => {
      // Its outcome is said where no other video takes its place.
      if (other === null && upload?.state.kind === 'uploading') void upload.state.cancel()
      else void removeUpload(id)
      replaceBy(other)
    },
    /** Takes back what was said of a fix. */
    dismiss: () => void removeUpload(id),
  }
}

/** The local file of a post's video, or the one that is to become its video. */
export function fileOfPost(upload: Upload<Video> | null, video: Video | null): File | null {
  if (video !== null) return localFileOf(video.video_id)
  const isGivenUp = upload?.state.kind === 'refused' || upload?.state.kind === 'cancelled'
  return isGivenUp ? null : (upload?.file ?? null)
}

/** A file becomes the post's video by itself. */
export function isOnItsWay(upload: Upload<Video> | null, video: Video | null): boolean {
  if (upload?.state.kind === 'done') return upload.state.reply.video_id !== video?.video_id
  return upload !== null && ['pending', 'checking', 'fixing', 'uploading'].includes(upload.state.kind)
}

/** A file waits for its user to say whether it is to be fixed first. */
export const isAsking = (upload: Upload | null): boolean => upload?.state.kind === 'asking'
