import { nameTexts } from '../delivery/reasons.ts'
import { WAITING } from '../delivery/waiting.ts'

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
      'This server was restored from a backup or copied, so the first comment may have been added without this copy knowing.',
    remedy: 'Look at the post. Retry adds the comment only if it is not there.',
  },
  userDisabled: {
    code: WAITING.userDisabled,
    message: 'The first comment waits: the person who runs this server has disabled its user.',
    remedy: 'It is added once they are enabled again.',
  },
  postUnknown: {
    code: 'post_id_unknown',
    message: 'The first comment could not be added: the platform has not told us which post it belongs to.',
    remedy: 'Add the comment on the platform, or retry later.',
  },
  notSupported: {
    code: 'comment_not_supported',
    message: 'This platform does not let Reelay add a first comment.',
    remedy: 'Add the comment on the platform.',
  },
  postUnknownToClose: {
    code: 'post_id_unknown',
    message: 'Comments are still on: the platform has not told us which post to turn them off for.',
    remedy: 'Turn them off on the platform, or retry later.',
  },
  closingNotSupported: {
    code: 'comments_off_not_supported',
    message: 'This platform does not let Reelay turn comments off.',
    remedy: 'Turn them off on the platform.',
  },
  postUnknownToCover: {
    code: 'post_id_unknown',
    message: 'The thumbnail could not be set: the platform has not told us which post it belongs to.',
    remedy: 'Set the thumbnail on the platform, or retry later.',
  },
  coverNotSupported: {
    code: 'cover_not_supported',
    message: 'This platform does not let Reelay set the thumbnail of a live post.',
    remedy: 'Set the thumbnail on the platform.',
  },
  coverGone: {
    code: 'cover_gone',
    message: 'The thumbnail could not be set: its picture is not stored any more.',
    remedy: 'Set the thumbnail on the platform.',
  },
  coverUnread: {
    code: 'storage_error',
    message: 'The thumbnail could not be set: its stored picture could not be read.',
    remedy: 'Ask the person who runs this server to check its storage, then retry.',
    meanwhile:
      'Reelay tries again automatically. If it keeps happening, ask the person who runs this server to check its storage.',
  },
  linkNotTold: {
    code: 'link_not_told',
    message: 'The platform has not shared the link to the post within 30 days.',
    remedy: 'Retry to ask again.',
  },
})
