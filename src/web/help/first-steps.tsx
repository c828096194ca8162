import { Link } from 'react-router'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'

export function FirstSteps() {
  return (
    <ol>
      <li>
        Create a brand on <Link to={PATHS.brands}>{LABELS.brands}</Link>. A brand groups the accounts that
        belong together.
      </li>
      <li>
        Link its accounts on <Link to={PATHS.accounts}>{LABELS.accounts}</Link>.
      </li>
      <li>
        Start a <Link to={PATHS.compose}>new post</Link>: choose a video, write the caption, select the
        accounts, and publish it now or at a time. Reelay tells you what a platform would refuse before it
        sends anything.
      </li>
      <li>
        Follow it on <Link to={PATHS.queue}>{LABELS.queue}</Link>: its status, the reason, and what you can
        do. You can close the page; the server keeps working.
      </li>
    </ol>
  )
}

export function Linking() {
  return (
    <>
      <p>
        {LABELS.addAccount} takes you to the platform. Choose the account there and allow Reelay to post; then
        you come back. Reelay never sees your password for the platform. Leave every permission ticked:
        without the one for posting, the account shows as “Can't post”.
      </p>
      <p>
        A platform can end the permission, for example after you change your password. Posts to that account
        are held, not lost: they go out once you link it again.
      </p>
      <p>
        An account belongs to one brand. To move it, unlink it and link it again under the other brand.
        Published posts stay online.
      </p>
      {PLATFORM_IDS.map((platform) => {
        const { linking } = PLATFORM_HELP[platform]
        return linking !== null && <p key={platform}>{linking}</p>
      })}
    </>
  )
}
