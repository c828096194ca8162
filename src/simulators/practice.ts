import { join } from 'node:path'
import fastify from 'fastify'
import { allPosts } from './platform-state.ts'
import { mountControl } from './control.ts'
import { mountFeed } from './feed/feed.ts'
import { mountMailbox } from './feed/mailbox.ts'
import { graphPath, mountInstagram } from './instagram/routes.ts'
import { webhookFormat as instagramFormat } from './instagram/callbacks.ts'
import { resumeFetching } from './instagram/fetch/fetch.ts'
import { openInstagram, seedCreators as seedInstagram } from './instagram/state/state.ts'
import { guardAccess } from './kit/http/access.ts'
import { openAudience } from './kit/audience.ts'
import { openBackground } from './kit/background.ts'
import { openCalls } from './kit/calls.ts'
import { openClock } from './kit/clock.ts'
import type { Context } from './kit/context.ts'
import { openFaults } from './kit/faults.ts'
import { openOutbox, startSending } from './kit/outbox.ts'
import { openSettings } from './kit/settings.ts'
import { openMediaFolder } from './kit/media.ts'
import { openStore } from './kit/store.ts'
import { resumeInspections } from './tiktok/state/processing.ts'
import { pull } from './tiktok/pull.ts'
import { mountTikTok } from './tiktok/routes.ts'
import { openTikTok, seedCreators as seedTikTok } from './tiktok/state/state.ts'
import { resumeInspections as resumeVideos } from './youtube/videos.ts'
import { mountYouTube } from './youtube/routes.ts'
import { openYouTube, seedCreators as seedYouTube } from './youtube/state.ts'
import { announcePosts, webhookFormat as tiktokFormat } from './tiktok/webhooks.ts'

export interface PracticeOptions {
  port: number
  host?: string
  /** Data that survives a restart. One process at a time. */
  dir: string
  /** The app's address: redirect addresses and webhooks derive from it. Without it no webhooks are sent. */
  appUrl?: string
  /** The folder where the server writes mails as JSON files; without it the mailbox is empty. */
  mailboxDir?: string
  /** Token for the control surface and mailbox where `host` is not loopback. Without it they are closed there. */
  token?: string
}

export interface Practice {
  url: string
  port: number
  close(): Promise<void>
}

export async function startPractice(options: PracticeOptions): Promise<Practice> {
  const host = options.host ?? '127.0.0.1'
  const context = openContext(options)
  const tiktok = openTikTok(context)
  const instagram = openInstagram(context)
  const youtube = openYouTube(context)
  const platforms = { tiktok, instagram, youtube }
  const seed = (): void => {
    seedTikTok(tiktok)
    seedInstagram(instagram)
    seedYouTube(youtube)
  }

  // Keep-alive connections must not delay closing.
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    requestTimeout: 0,
    rewriteUrl: ({ url = '/' }) => graphPath(url),
  })
  guardAccess(app, { host, token: options.token ?? null })
  await mountTikTok(app, tiktok)
  await mountInstagram(app, instagram)
  await mountYouTube(app, youtube)
  await app.register(async (scope) =>
    mountControl(scope, { ...platforms, seed, mailboxDir: options.mailboxDir ?? null }),
  )
  await app.register(async (scope) =>
    mountFeed(scope, {
      posts: (origin) => allPosts(platforms, origin),
      videoPath: (sha256) => context.media.video(sha256),
    }),
  )
  await app.register(async (scope) => mountMailbox(scope, options.mailboxDir ?? null))
  await app.listen({ port: options.port, host })

  // Only now is it certain that no other process uses the folder: it would use the port too.
  context.store.compact()
  seed()
  await resumeInspections(tiktok, (task) => pull(tiktok, task))
  resumeFetching(instagram)
  await resumeVideos(youtube)
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const sender =
    options.appUrl === undefined
      ? null
      : startSending({
          ...context,
          formats: { tiktok: tiktokFormat, instagram: instagramFormat },
          announce: () => announcePosts(tiktok),
        })
  return {
    url: `http://${host}:${port}`,
    port,
    close: async () => {
      await sender?.stop()
      await app.close()
    },
  }
}

function openContext(options: PracticeOptions): Context {
  const store = openStore(options.dir)
  const clock = openClock(store)
  const settings = openSettings(store)
  return {
    store,
    clock,
    settings,
    outbox: openOutbox(store, clock, settings),
    background: openBackground(),
    audience: openAudience(store, clock),
    faults: openFaults(store),
    calls: openCalls(store, clock),
    media: openMediaFolder(join(options.dir, 'media')),
    appUrl: (options.appUrl ?? 'http://localhost:4400').replace(/\/+$/, ''),
  }
}
