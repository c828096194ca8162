import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'

export const exportEndpoints = {
  exportUser: endpoint({
    method: 'GET',
    path: '/user/export',
    tag: 'Users',
    summary:
      'Download everything that is yours as a ZIP file: JSON as this API gives it (profile, brands, accounts without their access, schedules, posts with their timelines, drafts, videos, notification settings) and all posts as CSV. One at a time. A download that breaks off has no end, so no program opens it; start it again',
    auth: 'session',
    query: z.object({
      videos: z
        .enum(['true', 'false'])
        .optional()
        .describe('true to put the files of the videos in, too, in the folder `videos`, named by their ids.'),
    }),
    download: 'application/zip',
    status: 200,
    reply: z.string().meta({ format: 'binary' }),
    problems: [],
  }),
} as const
