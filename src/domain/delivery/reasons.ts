import type { Reason } from '#contract/deliveries.ts'

/** Reasons that are ours; a platform's are in its `failures.ts`. */
export const REASONS = {
  interrupted: {
    code: 'interrupted',
    message: 'The server stopped while the post was going out, so it may be live.',
    remedy: 'The platform is being asked. It will not be sent twice.',
    detail: null,
  },
  tooLong: {
    code: 'processing_too_long',
    message: 'The platform took the post a day ago and has not said what became of it.',
    remedy: 'Look on the platform whether it is there, then say so here.',
    detail: null,
  },
  tooManyCommits: {
    code: 'commit_without_effect',
    message: 'The platform was asked several times to publish, and says that nothing came of it.',
    remedy: 'Look on the platform whether it is there, then say so here.',
    detail: null,
  },
} as const satisfies Record<string, Reason>
