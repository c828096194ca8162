import { nameTexts } from '../delivery/reasons.ts'

export const UNCONFIRMED_REMEDY = {
  asking: 'Reelay is looking for it and will not add it twice.',
  over: 'Look at the post. If the comment is missing, add it on the platform: Reelay will not add it twice.',
} as const

export const FOLLOW_UP_REASONS = nameTexts('follow_up.', {
  interrupted: {
    code: 'comment_interrupted',
    message: 'The server stopped while the first comment was being added, so it may be there.',
    remedy: UNCONFIRMED_REMEDY.over,
  },
  restored: {
    code: 'comment_restored',
    message:
      "This server's data were restored or copied, and the first comment may have been added while this copy did not know.",
    remedy: 'Look at the post. Retry adds the comment only if it is not there.',
  },
  postUnknown: {
    code: 'post_id_unknown',
    message: 'The first comment is not possible: the platform has not told us which post it is.',
    remedy: 'Add the comment on the platform, or retry later.',
  },
  notSupported: {
    code: 'comment_not_supported',
    message: 'The first comment is not possible on this platform.',
    remedy: 'Add the comment on the platform.',
  },
  postUnknownToClose: {
    code: 'post_id_unknown',
    message: 'Comments are still on: the platform has not told us which post it is.',
    remedy: 'Turn them off on the platform, or retry later.',
  },
  closingNotSupported: {
    code: 'comments_off_not_supported',
    message: 'Comments cannot be turned off from here on this platform.',
    remedy: 'Turn them off on the platform.',
  },
  linkNotTold: {
    code: 'link_not_told',
    message: 'The platform has not given us the link within 30 days.',
    remedy: 'Retry to ask again.',
  },
})
