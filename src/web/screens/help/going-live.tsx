import { useQuery } from '@tanstack/react-query'
import { callbackPath } from '#contract/addresses.ts'
import type { PlatformMode } from '#contract/settings.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { settingsQuery } from '#web/queries.ts'
import classes from './help.module.css'

export function GoingLive() {
  const settings = useQuery(settingsQuery)
  return (
    <>
      <p>
        Posting to the real platforms takes an app of your own at each of them. Register this server there
        with its return address, then give the server its <code>PUBLIC_URL</code> and the app’s keys, and
        start it again.
      </p>
      {settings.data && (
        <dl className={classes.states}>
          {settings.data.platforms.map(({ id, name, mode }) => (
            <div key={id} className={classes.state}>
              <dt>{name}</dt>
              <dd>
                {PLATFORM_HELP[id].goingLive} Return address:{' '}
                <code>{location.origin + callbackPath(id)}</code>. {MODES[mode]}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

const MODES: Record<PlatformMode, string> = {
  live: 'On this server it is live.',
  practice: 'On this server it is a practice platform; nothing reaches the real one.',
  off: 'On this server it is not set up.',
}
