#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { accountName } from '#contract/accounts.ts'
import { DeliveryId, PostId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post, PostDetail } from '#contract/posts.ts'
import { call } from './client.ts'
import { SHELLS, writeCompletion } from './completion.ts'
import { checkServer } from './doctor.ts'
import { EXITS, type Exit, findExit, Stop } from './ends.ts'
import { logIn, logInWithKey, logOut } from './login.ts'
import {
  describeDelivery,
  formatBytes,
  formatTime,
  note,
  print,
  printJson,
  printList,
  printTable,
  progressLine,
} from './output.ts'
import { listRepeats, makePost, nameAccount, type PostOptions, type TriedPost } from './post.ts'
import { findServer, isError, parseAddress, readSettings, type Server } from './settings.ts'
import { parseDuration, waitForPost } from './wait.ts'
import { VERSION } from './version.ts'

type Common = { readonly json?: true; readonly server?: string }
type Waiting = { readonly wait?: true; readonly timeout?: string }

const collect = (one: string, before: string[] = []): string[] => [...before, one]

const program = new Command('reelay')
  .description('Posts videos through a Reelay server, exactly once each.')
  .version(VERSION)
  .option('--json', "print the API's answer as JSON on standard output, and nothing else")
  .option('--server <address>', 'the server, if you are logged in to several (or REELAY_URL)')
  .exitOverride()
  .showSuggestionAfterError()
  .addHelpText('after', () => {
    const lines = Object.values(EXITS).map(({ code, means }) => `  ${code}  ${means}`)
    return `
Exit codes:
${lines.join('\n')}

Without a log-in, as in CI: set REELAY_URL and REELAY_API_KEY (Settings, API keys).
Example:
  reelay post tart.mp4 --to @maria.bakes,@nova --caption "Lemon tart" --at "2026-12-24 18:30"`
  })

program
  .command('login')
  .description('log in by confirming a code in the browser')
  .argument('[address]', 'such as https://reelay.example.com')
  .option('--key-stdin', 'read an API key from standard input instead')
  .action(async (given: string | undefined, options: Common & { keyStdin?: true }) => {
    const server = findAddress(given ?? options.server)
    if (options.keyStdin) await logInWithKey(server)
    else await logIn(server)
    end('done')
  })

program
  .command('logout')
  .description('revoke the key of this log-in and forget it')
  .argument('[address]', 'of the server')
  .action(async (given: string | undefined) => {
    await logOut(findAddress(given ?? common().server))
    end('done')
  })

program
  .command('accounts')
  .description('list the linked accounts')
  .action(() =>
    withServer(async (server) => {
      const accounts = await call(server, 'listAccounts', {})
      if (common().json) printJson(accounts)
      else {
        const brands = await call(server, 'listBrands', {})
        const titles = new Map(brands.map((brand) => [brand.brand_id, brand.title]))
        printList(
          ['ID', 'ACCOUNT', 'PLATFORM', 'BRAND', 'STATE'],
          accounts.map((account) => [
            String(account.account_id),
            accountName(account),
            PLATFORM_NAMES[account.platform],
            titles.get(account.brand_id) ?? '',
            account.health.status === 'relink'
              ? `link again: ${account.health.reason}`
              : account.paused
                ? 'paused'
                : account.can_publish
                  ? 'ready'
                  : 'posting was not allowed',
          ]),
          'No accounts are linked. Link some in the browser.',
        )
      }
      return 'done'
    }),
  )

program
  .command('post')
  .description('upload a video and post it')
  .argument('<video>', 'a file, or the id of a video in the library')
  .option('--to <accounts>', '@handle, platform:@handle, ids or a brand; separated by commas', collect)
  .option('--caption <text>', 'the text for all accounts')
  .option('--caption-file <file>', 'the text, from a file')
  .option('--at <time>', 'a day and an hour: "2026-12-24 18:30"')
  .option('--timezone <zone>', "the zone of --at (default: the brand's, or yours)")
  .option('--now', 'post as soon as possible')
  .option('-o, --option <platform.name=value>', 'an option of a platform, as in the API', collect)
  .option('--reference <text>', 'what you call this post; the same reference never makes a second post')
  .option('--repeat', 'post it even though an account has the video already')
  .option('--dry-run', 'upload and check, but make no post')
  .option('--wait', 'wait for the outcome')
  .option('--timeout <duration>', 'wait no longer than this, such as 10m')
  .action((video: string, options: PostOptions & Waiting) =>
    withServer(async (server) => {
      const timeoutMs = readTimeout(options)
      const made = await makePost(server, video, options)
      if ('tried' in made) {
        tellTried(made)
        return 'done'
      }
      const { post, replayed, forget } = made
      if (replayed) note(`Post ${post.post_id} was made by an earlier run. Nothing was posted a second time.`)
      const waited = options.wait ? await waitForPost(server, post.post_id, { timeoutMs }) : null
      tellPost(waited?.post ?? post)
      // A wait that was ended by its timeout goes on with the next run, and an answer that could not be written is told by it.
      if (waited?.isOver !== false && !process.stdout.errored) forget()
      return waited?.exit ?? 'done'
    }),
  )

program
  .command('status')
  .description('show how a post stands')
  .argument('<post>', 'its id')
  .option('--wait', 'wait for the outcome')
  .option('--timeout <duration>', 'wait no longer than this, such as 10m')
  .action((given: string, options: Waiting) =>
    withServer(async (server) => {
      const postId = readId(PostId, given)
      const timeoutMs = readTimeout(options)
      if (options.wait) return follow(server, postId, timeoutMs)
      const post = await call(server, 'getPost', { params: { postId } })
      tellPost(post)
      const exit = findExit(post)
      return exit === 'scheduled' ? 'done' : exit
    }),
  )

program
  .command('retry')
  .description('try what failed or is held again')
  .argument('[post]', "a post's id: everything of it that can be retried")
  .option('--delivery <id>', 'one delivery instead')
  .option('--repeat', 'post it even though an account has the video already')
  .option('--wait', 'wait for the outcome')
  .option('--timeout <duration>', 'wait no longer than this, such as 10m')
  .action((given: string | undefined, options: Waiting & { delivery?: string; repeat?: true }) =>
    withServer(async (server) => {
      const timeoutMs = readTimeout(options)
      const body = { ...(options.repeat && { confirm_repeat: true }) }
      const retry = (deliveryId: DeliveryId) =>
        call(server, 'retryDelivery', { params: { deliveryId }, body })
      let postId: PostId
      if (options.delivery !== undefined && given === undefined)
        postId = (await retry(readId(DeliveryId, options.delivery))).post_id
      else if (given !== undefined && options.delivery === undefined) {
        postId = readId(PostId, given)
        const { deliveries } = await call(server, 'getPost', { params: { postId } })
        const failed = deliveries.filter(({ actions }) => actions.includes('retry'))
        if (failed.some(({ cause }) => cause === 'restored'))
          throw new Stop(
            'refused',
            `Post ${postId} is held since the server was restored, and may be live already. Look, and decide in the browser.`,
          )
        if (failed.length === 0) throw new Stop('refused', `Nothing of post ${postId} can be retried.`)
        for (const { delivery_id: id } of failed) await retry(id)
      } else throw new Stop('refused', 'Name a post, or one delivery with --delivery.')
      if (options.wait) return follow(server, postId, timeoutMs)
      return tellPost(await call(server, 'getPost', { params: { postId } }))
    }),
  )

program
  .command('videos')
  .description('list the videos in the library, newest first')
  .option('--search <words>', 'words of names and tags')
  .action((options: { search?: string }) =>
    withServer(async (server) => {
      const page = await call(server, 'listVideos', {
        query: { ...(options.search !== undefined && { search: options.search }) },
      })
      if (common().json) printJson(page)
      else
        printList(
          ['ID', 'NAME', 'SIZE', 'SECONDS', 'ADDED'],
          page.videos.map((video) => [
            String(video.video_id),
            video.filename,
            formatBytes(video.size),
            video.facts.duration_s.toFixed(1),
            formatTime(video.created_at, null),
          ]),
          'No videos.',
        )
      return 'done'
    }),
  )

program
  .command('drafts')
  .description('list the drafts')
  .action(() =>
    withServer(async (server) => {
      const drafts = await call(server, 'listDrafts', {})
      if (common().json) printJson(drafts)
      else
        printList(
          ['TEXT', 'VIDEO', 'ACCOUNTS', 'PLANNED FOR', 'CHANGED'],
          drafts.items.map((draft) => [
            draft.text.slice(0, 40),
            draft.video?.filename ?? '',
            String(draft.accounts),
            draft.planned_for === null ? '' : formatTime(draft.planned_for, null),
            formatTime(draft.updated_at, null),
          ]),
          'No drafts.',
        )
      return 'done'
    }),
  )

program
  .command('doctor')
  .description('check server, clock, key and accounts; the output has no names and no secrets')
  .action(async () => {
    const found = await checkServer(() => findServer(common().server))
    if (common().json) printJson(found.report)
    else printTable(found.report.checks.map(({ state, check, message }) => [state, check, message]))
    end(found.exit)
  })

program
  .command('completion')
  .description('print a completion script')
  .argument('<shell>', SHELLS.join(', '))
  .action((shell: string) => {
    process.stdout.write(writeCompletion(program, shell))
    end('done')
  })

const common = (): Common => program.opts<Common>()

function end(exit: Exit): void {
  process.exitCode = EXITS[exit].code
}

async function withServer(work: (server: Server) => Promise<Exit>): Promise<void> {
  end(await work(findServer(common().server)))
}

function findAddress(given: string | undefined): string {
  const found = given ?? process.env['REELAY_URL'] ?? readSettings().current
  if (found === null || found === undefined)
    throw new Stop('refused', 'Say which server: reelay login https://your-reelay')
  return parseAddress(found)
}

function readTimeout({ wait, timeout }: Waiting): number | null {
  if (timeout !== undefined && !wait) throw new Stop('refused', '--timeout goes with --wait.')
  return timeout === undefined ? null : parseDuration(timeout)
}

function readId<T>(schema: { safeParse: (id: number) => { data?: T } }, given: string): T {
  const id = schema.safeParse(Number(given)).data
  if (id === undefined) throw new Stop('refused', `"${given}" is no id.`)
  return id
}

async function follow(server: Server, postId: PostId, timeoutMs: number | null): Promise<Exit> {
  const { post, exit } = await waitForPost(server, postId, { timeoutMs })
  tellPost(post)
  return exit
}

function tellTried({ tried, accounts }: TriedPost): void {
  if (common().json) return printJson(tried)
  print('This can be posted. Nothing was posted.')
  printTable(
    tried.targets.map((target) => [
      nameAccount(accounts, target.account_id),
      target.goes_out_at === null ? 'now' : formatTime(target.goes_out_at, null),
      target.findings.map(({ message, remedy }) => `${message} ${remedy}`).join(' '),
    ]),
  )
  for (const repeat of listRepeats(accounts, tried.similar)) note(`${repeat} It would need --repeat.`)
  return undefined
}

/** Prints a post that was made, and says that this went well. */
function tellPost(post: Post | PostDetail): 'done' {
  if (common().json) printJson(post)
  else {
    const when = post.publish_at === null ? '' : `, for ${formatTime(post.publish_at, post.timezone)}`
    print(`Post ${post.post_id}${when}`)
    printTable(post.deliveries.map((one) => describeDelivery(one, post.timezone)))
  }
  return 'done'
}

/** Prints a refusal, which is JSON with `--json`, too. */
function tellStop(stop: Stop): void {
  progressLine.clear()
  if (wantsJson()) {
    const { code, message, errors, exit } = stop
    printJson({ error: { code, message, errors, exit_code: EXITS[exit].code } })
  } else {
    for (const line of stop.message.split('\n')) note(line)
    for (const [field, messages] of Object.entries(stop.errors)) {
      const line = `${stop.describeField(field)}: ${messages.join(' ')}`
      if (messages.join(' ') !== stop.message || stop.describeField(field) !== field) note(`  ${line}`)
    }
  }
  end(stop.exit)
}

/** Commander cannot say so if it could not read the command. */
const wantsJson = (): boolean => process.argv.includes('--json')

program.configureOutput({
  outputError: (text, write) => {
    if (!wantsJson()) write(text)
  },
})

process.stderr.on('error', () => undefined)
process.stdout.on('error', (error) => {
  // A reader such as `head` has left; anything else, such as a full disk, has lost the answer.
  if (!isError(error, 'EPIPE')) process.once('exit', () => end('broken'))
})

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof Stop) tellStop(error)
  else if (error instanceof CommanderError) {
    if (error.exitCode === 0) end('done')
    else if (wantsJson())
      tellStop(new Stop('refused', error.message.replace(/^error: /, ''), { code: 'usage' }))
    else end('refused')
  } else {
    tellStop(new Stop('broken', error instanceof Error ? (error.stack ?? error.message) : String(error)))
  }
}
