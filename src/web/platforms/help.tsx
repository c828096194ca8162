import type { PlatformId } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'

type Help = {
  /** Advice before linking; null: nothing special. */
  readonly linking: string | null
  /** Says which accounts may post at all, and how much. */
  readonly accounts: string
  readonly perDay: string
  /** A limit of ours beside the platform's own; null: none. */
  readonly form: string | null
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
  /** Says where the addresses of its webhooks are entered, and what they are good for. */
  readonly callbacks: string
  /** The variables of this server that take the app's keys, and where those stand. */
  readonly keys: readonly string[]
  readonly keysAre: string
  /** The platform asks for these after that. */
  readonly after: readonly string[]
}

/** Facts as of 2026-09-11 (docs/platforms). */
export const PLATFORM_HELP: Record<PlatformId, Help> = {
  tiktok: {
    linking: null,
    accounts: 'any; while the server’s app is not audited, only accounts that are private themselves',
    perDay: 'TikTok decides for each account, and does not say beforehand',
    form: null,
    goingLive: {
      developers: { name: 'developers.tiktok.com', url: 'https://developers.tiktok.com' },
      app: 'with Login Kit (Web) and the Content Posting API with Direct Post',
      returnAddress:
        'Enter it as the redirect URI of Login Kit, exactly as it is. TikTok accepts https only.',
      scopes: [
        ['user.info.basic', 'to show the name and picture of a linked account'],
        ['video.upload', 'to put drafts into the inbox of an account'],
        ['video.publish', 'to post'],
      ],
      callbacks:
        'Enter it at TikTok under Webhooks, for all events. TikTok then reports at once how a post went. Without it, Reelay asks and learns it a little later.',
      keys: ['TIKTOK_CLIENT_KEY', 'TIKTOK_CLIENT_SECRET'],
      keysAre: 'the client key and client secret of the app',
      after: [
        'Until TikTok has audited the app, it may post as Private only, to accounts that are private themselves, for five accounts a day. That is TikTok’s rule; Reelay offers only what it allows.',
        'Ask TikTok for the audit. For it, set TIKTOK_AUDIT_FORM=true: the form then preselects nothing, as the audit demands.',
        'After the audit, set TIKTOK_APP_AUDITED=true.',
      ],
    },
  },
  instagram: {
    linking: 'Instagram accepts professional accounts only: creator or business.',
    accounts: 'professional accounts only: creator or business',
    perDay: '50 or 100 posts in 24 hours; it depends on the account, and Reelay asks Instagram',
    form: `The Instagram form on the Upload screen has a limit of its own: “${TEXTS.instagramTooLarge}”.`,
    goingLive: {
      developers: { name: 'developers.facebook.com', url: 'https://developers.facebook.com' },
      app: 'with Instagram, API setup with Instagram login',
      returnAddress:
        'Enter it under Business login settings as the redirect URI, exactly as it is. The page may add a slash when it saves: remove it.',
      scopes: [
        ['instagram_business_basic', 'to show the name and picture of a linked account'],
        ['instagram_business_content_publish', 'to post'],
        ['instagram_business_manage_comments', 'only for first comments'],
      ],
      callbacks:
        'Enter both at Meta under Business login settings. Meta then reports when someone removes the app or wants their data deleted. If the server’s log says that such calls are refused, also set INSTAGRAM_META_APP_SECRET to the Meta app’s secret.',
      keys: ['INSTAGRAM_APP_ID', 'INSTAGRAM_APP_SECRET'],
      keysAre: 'the ID and secret of the Instagram app, not those of the Meta app',
      after: [
        'While the app is in development, add each account as an Instagram tester, and accept the invitation on instagram.com.',
        'Instagram fetches each video from this server, under /media/. That path must be open to it: https, no login, no bot check.',
        'For first comments, also request instagram_business_manage_comments. Reelay asks an account for it only when its user allows first comments.',
      ],
    },
  },
}
