import { VisuallyHidden } from '@mantine/core'
import { IconCheck, IconMinus, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Help } from '#contract/help.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { PlatformMode } from '#contract/settings.ts'
import { TEXTS } from '#contract/texts.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { helpQuery } from '#web/client/queries.ts'
import { CopyButton } from '#web/components/display/copy-button.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import { QueryTrouble } from '#web/components/feedback/query-trouble.tsx'
import { Badge } from '#web/components/display/status.tsx'
import { WaitingRows } from '#web/components/feedback/waiting.tsx'
import classes from './help.module.css'

/** All that who runs the server needs, without another page open. */
export function GoingLive() {
  return (
    <>
      <p>
        This part is for who runs the server. Posting to a real platform takes an address that the platform
        can reach, and an app of your own there. A platform without keys is shown as not set up; nothing else
        changes.
      </p>
      <h3>The server</h3>
      <ol>
        <li>
          Run it behind a proxy that speaks https, on the same machine. Let the proxy pass bodies of 4 GB and
          requests of an hour without holding them back, and <code>X-Forwarded-For</code>.
        </li>
        <li>
          Set its variables, with 32 or more random characters as the secret key, and start it again:
          <Paste what="the variables of the server" text={SERVER_LINES} />
        </li>
        <li>
          <code>NODE_ENV=production</code> turns the practice platforms off; <code>PRACTICE=on</code> turns
          them on again. <code>SIGNUP=closed</code>, once all who should have an account have one.
        </li>
      </ol>
      <Platforms />
      <h3>Several machines</h3>
      <p>
        <code>DATABASE_URL</code> names a PostgreSQL that all of them use, <code>STORAGE_URL</code> a folder
        that all of them share, and <code>SECRET_KEY</code> is the same everywhere. Then run as many with{' '}
        <code>ROLE=web</code> and <code>ROLE=worker</code> as you like. Back up the database and the folder;
        on one machine, all of <code>DATA_DIR</code>, with the server stopped.
      </p>
      <p>
        The same at more length: <code>docs/going-live.md</code>, beside the program.
      </p>
    </>
  )
}

const SERVER_LINES = `NODE_ENV=production
PUBLIC_URL=https://reelay.example.com
SECRET_KEY=…
SMTP_URL=smtps://user:password@smtp.example.com:465
MAIL_FROM='Reelay <reelay@example.com>'`

function Platforms() {
  const help = useQuery(helpQuery)
  switch (help.status) {
    case 'pending':
      return <WaitingRows rows={2} height={160} />
    case 'error':
      return <QueryTrouble query={help}>{messageOf(help.error, TEXTS.unknownError)}</QueryTrouble>
    case 'success':
      return help.data.platforms.map((platform) => <Platform key={platform.id} platform={platform} />)
  }
}

function Platform({
  platform: { id, mode, return_address, scopes, hooks },
}: {
  platform: Help['platforms'][number]
}) {
  const { developers, app, returnAddress, callbacks, keys, keysAre, after } = PLATFORM_HELP[id].goingLive
  const name = PLATFORM_NAMES[id]
  const { word, says, ...look } = MODES[mode]
  return (
    <section aria-labelledby={`going-live-${id}`}>
      <h3 id={`going-live-${id}`} className={classes.platformTitle}>
        <PlatformName platform={id} />
        <VisuallyHidden>: </VisuallyHidden>
        <Badge {...look} word={word} />
      </h3>
      <p>{says}</p>
      <ol>
        <li>
          Make an app at <a href={developers.url}>{developers.name}</a>, {app}.
        </li>
        <li>
          Give it the return address. {returnAddress}
          <Paste what={`the return address for ${name}`} text={return_address} />
          {!return_address.startsWith('https:') && (
            <span>
              It follows from <code>PUBLIC_URL</code>, which is not https yet: set that first.
            </span>
          )}
        </li>
        <li>
          Ask for these permissions:
          <Paste what={`the permissions for ${name}`} text={scopes.join(', ')} />
        </li>
        <li>
          Enter where {name} may call this server. {callbacks}
          {hooks.map(({ called, address }) => (
            <div key={address}>
              {called}:
              <Paste what={`the address for ${called}`} text={address} />
            </div>
          ))}
        </li>
        <li>
          Set {keysAre}, and start the server again:
          <Paste what={`the variables for ${name}`} text={keys.map((key) => `${key}=…`).join('\n')} />
        </li>
        {after.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ol>
    </section>
  )
}

const MODES: Record<
  PlatformMode,
  { word: string; tone: 'published' | 'scheduled' | 'draft'; Icon: typeof IconCheck; says: string }
> = {
  live: {
    word: 'Live',
    tone: 'published',
    Icon: IconCheck,
    says: 'This server posts to the real platform. What follows is what it took.',
  },
  practice: {
    word: 'Practice',
    tone: 'scheduled',
    Icon: IconPlayerPlay,
    says: 'On this server it is a practice platform: nothing reaches the real one.',
  },
  off: {
    word: 'Not set up',
    tone: 'draft',
    Icon: IconMinus,
    says: 'This server has no keys for it, so no account of it can be linked here.',
  },
}

/** Something to be entered elsewhere, to the letter. */
function Paste({ what, text }: { what: string; text: string }) {
  return (
    <div className={classes.paste}>
      <pre>{text}</pre>
      <CopyButton text={text} what={what} />
    </div>
  )
}
