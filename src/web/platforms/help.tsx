import type { ReactNode } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import { GOOGLE_PERMISSIONS_URL, YOUTUBE_VERIFY_URL } from '#web/platforms/youtube/labels.ts'
import { TEXTS } from '#contract/texts.ts'
import { Outside } from '#web/platforms/youtube/terms.tsx'

type Help = {
  /** Advice before linking; null: nothing special. */
  readonly linking: ReactNode
  /** Says which accounts may post at all, and how much. */
  readonly accounts: string
  readonly perDay: string
  /** A sentence below the table of limits; null: none. */
  readonly note: string | null
  readonly goingLive: GoingLive
}

type GoingLive = {
  /** Apps are made here. */
  readonly developers: { readonly name: string; readonly url: string }
  /** The app must have these. */
  readonly app: string
  readonly returnAddress: string
  /** The permissions to request, and what each is for. */
  readonly scopes: readonly (readonly [scope: string, why: string])[]
  /** Says where the addresses of its webhooks are entered, and what they are good for; null: it has none. */
  readonly callbacks: string | null
  /** The variables of this server that take the app's keys, and where those stand. */
  readonly keys: readonly string[]
  readonly keysAre: string
  /** The platform asks for these after that. */
  readonly after: readonly string[]
}

/** Facts as of 2026-09-11, YouTube's as of 2026-11-03 (docs/platforms). */
export const PLATFORM_HELP: Record<PlatformId, Help> = {
  tiktok: {
    linking: null,
    accounts: 'any; while the server’s app is not audited, only accounts that are private themselves',
    perDay: 'TikTok decides for each account, and does not say beforehand',
    note: null,
    goingLive: {
      developers: { name: 'developers.tiktok.com', url: 'https://developers.tiktok.com' },
      app: 'with Login Kit (Web) and the Content Posting API with Direct Post',
      returnAddress:
        'Enter it as the redirect URI of Login Kit, exactly as it is. TikTok accepts https only.',
      scopes: [
        ['user.info.basic', 'to show the name and picture of a linked account'],
        ['video.upload', 'to put drafts into the inbox of an account'],
        ['video.publish', 'to post'],
        ['video.list', 'only for results'],
      ],
      callbacks:
        'Enter it at TikTok under Webhooks, for all events. TikTok then reports at once how a post went. Without it, Reelay asks and learns it a little later.',
      keys: ['TIKTOK_CLIENT_KEY', 'TIKTOK_CLIENT_SECRET'],
      keysAre: 'the client key and client secret of the app',
      after: [
        'Until TikTok has audited the app, it may post as Private only, to accounts that are private themselves, for five accounts a day. That is TikTok’s rule; Reelay offers only what it allows.',
        'Ask TikTok for the audit. For it, set TIKTOK_AUDIT_FORM=true: the form then preselects nothing, as the audit demands.',
        'After the audit, set TIKTOK_APP_AUDITED=true.',
        'For results, also request video.list. Reelay asks an account for it only when its user allows results.',
      ],
    },
  },
  instagram: {
    linking: 'Instagram accepts professional accounts only: creator or business.',
    accounts: 'professional accounts only: creator or business',
    perDay: '50 or 100 posts in 24 hours; it depends on the account, and Reelay asks Instagram',
    note: `The Instagram form on the Upload screen has a limit of its own: “${TEXTS.instagramTooLarge}”.`,
    goingLive: {
      developers: { name: 'developers.facebook.com', url: 'https://developers.facebook.com' },
      app: 'with Instagram, API setup with Instagram login',
      returnAddress:
        'Enter it under Business login settings as the redirect URI, exactly as it is. The page may add a slash when it saves: remove it.',
      scopes: [
        ['instagram_business_basic', 'to show the name and picture of a linked account'],
        ['instagram_business_content_publish', 'to post'],
        ['instagram_business_manage_comments', 'only for first comments'],
        ['instagram_business_manage_insights', 'only for results'],
      ],
      callbacks:
        'Enter both at Meta under Business login settings. Meta then reports when someone removes the app or wants their data deleted. If the server’s log says that such calls are refused, also set INSTAGRAM_META_APP_SECRET to the Meta app’s secret.',
      keys: ['INSTAGRAM_APP_ID', 'INSTAGRAM_APP_SECRET'],
      keysAre: 'the ID and secret of the Instagram app, not those of the Meta app',
      after: [
        'While the app is in development, add each account as an Instagram tester, and accept the invitation on instagram.com.',
        'Instagram fetches each video from this server, under /media/. That path must be open to it: https, no login, no bot check.',
        'For first comments, also request instagram_business_manage_comments. Reelay asks an account for it only when its user allows first comments.',
        'For results, also request instagram_business_manage_insights. Reelay asks an account for it only when its user allows results.',
      ],
    },
  },
  youtube: {
    linking: (
      <>
        For YouTube, Google’s page asks which channel to link. One link is one channel, so link each brand
        channel by itself; a Google account without a channel has to create one first. Leave every box ticked.
        Videos over 15 minutes and thumbnails need a phone number that the channel has{' '}
        <Outside href={YOUTUBE_VERIFY_URL}>confirmed</Outside>. You can end Reelay’s access at any time: here,
        or in <Outside href={GOOGLE_PERMISSIONS_URL}>your Google account</Outside>.
      </>
    ),
    accounts: 'any channel; over 15 minutes only after the channel has confirmed a phone number',
    perDay:
      '100 for all users of this server together, until midnight Pacific Time; each channel also has a limit of its own, often 10 to 15, which YouTube does not tell in advance',
    note: 'On YouTube, a vertical or square video of up to 3 minutes becomes a Short. Any other is posted as an ordinary video.',
    goingLive: {
      developers: { name: 'console.cloud.google.com', url: 'https://console.cloud.google.com' },
      app: 'in a project of its own: switch on the YouTube Data API v3, set up the consent screen for External users, and create an OAuth client of the type Web application',
      returnAddress:
        'Enter it as an authorised redirect URI of the client, exactly as it is. Google accepts http only for localhost; everything else must be https.',
      scopes: [
        ['openid', 'to know which channels share a Google account: unlinking one keeps the others'],
        ['https://www.googleapis.com/auth/youtube.upload', 'to post, and to set thumbnails'],
        [
          'https://www.googleapis.com/auth/youtube.readonly',
          'to show the name and picture of a linked channel, to ask how a post went, and to read the numbers of its videos',
        ],
        ['https://www.googleapis.com/auth/youtube.force-ssl', 'only for first comments'],
      ],
      callbacks: null,
      keys: ['YOUTUBE_CLIENT_ID', 'YOUTUBE_CLIENT_SECRET'],
      keysAre: 'the client ID and client secret',
      after: [
        'Publish the app under Audience (In production), then set YOUTUBE_APP_PUBLISHED=true. While it is in Testing, only listed test users can link, and every link ends after seven days.',
        'Ask Google to verify the app, then set YOUTUBE_APP_VERIFIED=true. Until then Google shows a warning before the consent page, and at most 100 people can ever link.',
        'One project may upload 100 videos a day, and all users of this server share them. Ask Google for an audit to get more.',
        'For first comments, also add youtube.force-ssl. Reelay asks a channel for it only when its user allows first comments.',
      ],
    },
  },
}
