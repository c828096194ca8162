import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { UploadId } from './ids.ts'
import { UPLOAD_KEPT_DAYS } from './limits.ts'
import { Video } from './videos.ts'

/** A file that is sent in parts over tus 1.0 at `UPLOADS_PATH`; see docs/uploads.md. */
export const Upload = z.object({
  upload_id: UploadId,
  filename: z.string(),
  size: z.int().describe('The size of the whole file in bytes.'),
  offset: z.int().describe('The bytes that are stored safely, even if the server crashes.'),
  expires_at: z.iso
    .datetime()
    .describe(`The upload is deleted ${UPLOAD_KEPT_DAYS} days after its last bytes arrived.`),
  video: Video.nullable().describe(
    'The finished video. null until everything has arrived, and after the video was deleted.',
  ),
})
export type Upload = z.infer<typeof Upload>

/** The tus endpoint: POST here creates an upload, HEAD, PATCH and DELETE go to the address that it answers. */
export const UPLOADS_PATH = '/uploads'
/** The answer that finishes an upload has this header. */
export const VIDEO_ID_HEADER = 'Reelay-Video-Id'

export const uploadEndpoints = {
  listUploads: endpoint({
    method: 'GET',
    path: UPLOADS_PATH,
    tag: 'Videos',
    summary: 'List the unfinished uploads, latest first',
    auth: 'read',
    status: 200,
    reply: z.object({
      items: z.array(
        Upload.omit({ video: true }).extend({
          received_at: z.iso
            .datetime()
            .describe('The time at which the last bytes arrived, or the upload began.'),
        }),
      ),
    }),
    problems: [],
  }),
  getUpload: endpoint({
    method: 'GET',
    path: `${UPLOADS_PATH}/:uploadId`,
    tag: 'Videos',
    summary: 'Get an upload: how much has arrived, and the video that it became',
    auth: 'read',
    limitedKeys: 'any',
    params: z.object({ uploadId: UploadId }),
    status: 200,
    reply: Upload,
    problems: ['not_found', 'invalid'],
  }),
} as const
