import { Group, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconMinus, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { Help } from '#contract/help.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { PlatformMode } from '#contract/settings.ts'
import { TEXTS } from '#contract/texts.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { helpQuery } from '#web/api/queries.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Badge } from '#web/ui/status.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import classes from './help.module.css'

/** Setup for the person who runs the server, and the only part that names its variables. Closed unless a link asks for it. */
export function GoingLive() {
  const asked = useLocation().hash === '#going-live'
  return (
    <details className={classes.operator} open={asked}>
      <summary>Setup, and posting to the real platforms</summary>
      <p>
        To post to a real platform, the server needs an address that the platform can reach and an app of your
        own there. A platform without keys shows as not set up; everything else works as before.
      </p>
      <p>
        Its operator sees on the screen <Link to={PATHS.server}>Server</Link> what needs a hand;{' '}
        <code>npm run doctor</code> tells the same at the command line.
      </p>
      <h3>The server</h3>
      <ol>
        <li>
          Run it behind an https proxy on the same machine. The proxy must pass on request bodies of up to 4
          GB unbuffered, requests of up to an hour, and <code>X-Forwarded-For</code>.
        </li>
        <li>
          Set these variables, with 32 or more random characters as the secret key, and restart the server:
          <Paste what="the variables of the server" text={SERVER_LINES} />
        </li>
        <li>
          <code>NODE_ENV=production</code> turns the practice platforms off, <code>PRACTICE=on</code> turns
          them on again. Choose under <Link to={PATHS.serverUsers}>Users</Link> who may sign up.
        </li>
      </ol>
      <Platforms />
      <h3>Several machines</h3>
      <p>
        Point <code>DATABASE_URL</code> to a PostgreSQL and <code>STORAGE_URL</code> to a folder that all of
        them share or to an S3 bucket, and use the same <code>SECRET_KEY</code> everywhere. Then run as many
        with <code>ROLE=web</code> and <code>ROLE=worker</code> as you like. Back up the database and the
        folder; on one machine, stop the server and back up all of <code>DATA_DIR</code>.
      </p>
      <p>
        Details, in the program's folder: <code>docs/going-live.md</code> for setup,{' '}
        <code>docs/operating.md</code> for a server that runs.
      </p>
    </details>
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
      return <RowsSkeleton rows={2} height={160} />
    case 'error':
      return <QueryError query={help}>{messageOf(help.error, TEXTS.unknownError)}</QueryError>
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
      <Group component="h3" gap="0.25rem 0.75rem" id={`going-live-${id}`}>
        <PlatformName platform={id} />
        <VisuallyHidden>: </VisuallyHidden>
        <Badge {...look} word={word} />
      </Group>
      <p>
        {says}
        {mode === 'live' && ' These are the steps that were needed.'}
      </p>
      <ol>
        <li>
          Create an app at <a href={developers.url}>{developers.name}</a>, {app}.
        </li>
        <li>
          Enter the return address. {returnAddress}
          <Paste what={`the return address for ${name}`} text={return_address} />
          {!return_address.startsWith('https:') && (
            <span>
              It comes from <code>PUBLIC_URL</code>, which is not https yet: set that first.
            </span>
          )}
        </li>
        <li>
          Request these permissions:
          <Paste what={`the permissions for ${name}`} text={scopes.join(', ')} />
        </li>
        {callbacks !== null && (
          <li>
            Enter the addresses at which {name} may call this server. {callbacks}
            {hooks.map(({ called, address }) => (
              <div key={address}>
                {called}:
                <Paste what={`the address for ${called}`} text={address} />
              </div>
            ))}
          </li>
        )}
        <li>
          Enter {keysAre} on the screen Server, which its operator has. Or set them as variables, which win,
          and restart the server:
          <Paste what={`the variables for ${name}`} text={keys.map((key) => `${key}=…`).join('\n')} />
        </li>
        {after.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ol>
    </section>
  )
}

export const MODES: Record<
  PlatformMode,
  { word: string; tone: 'published' | 'scheduled' | 'draft'; Icon: typeof IconCheck; says: string }
> = {
  live: {
    word: 'Live',
    tone: 'published',
    Icon: IconCheck,
    says: 'This server posts to the real platform.',
  },
  practice: {
    word: 'Practice',
    tone: 'scheduled',
    Icon: IconPlayerPlay,
    says: 'This server uses the practice platform: nothing reaches the real one.',
  },
  off: {
    word: 'Not set up',
    tone: 'draft',
    Icon: IconMinus,
    says: "This server has no keys for it, so its accounts can't be linked here.",
  },
}

export function Paste({ what, text }: { what: string; text: string }) {
  return (
    <Group align="flex-start" gap="xs" mt="0.375rem" mb="xs" className={classes.paste ?? ''}>
      <pre>{text}</pre>
      <CopyButton text={text} what={what} />
    </Group>
  )
}
