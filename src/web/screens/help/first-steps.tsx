import { Link } from 'react-router'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'

export function FirstSteps() {
  return (
    <ol>
      <li>
        Create a brand on <Link to={PATHS.brands}>{LABELS.brands}</Link>. A brand holds the accounts that
        belong together.
      </li>
      <li>
        Link its accounts on <Link to={PATHS.accounts}>{LABELS.accounts}</Link>.
      </li>
      <li>
        Choose a video on <Link to={PATHS.upload}>{LABELS.upload}</Link>, and publish it to an account. What
        the platform would refuse is said before anything is sent.
      </li>
      <li>
        Watch it on <Link to={PATHS.queue}>{LABELS.queue}</Link>: what became of it, why, and what you can do.
        You can close the page; the server goes on.
      </li>
    </ol>
  )
}

export function Linking() {
  return (
    <>
      <p>
        {LABELS.addAccount} leads to the platform. There you choose the account and allow Reelay to post; then
        you come back. Your password stays at the platform. Leave every permission ticked: without the one to
        post, the account shows as “May not post”.
      </p>
      <p>
        A platform can end the permission, for example after a change of password. Posts to that account are
        then held, not lost: they go out once you have linked it again.
      </p>
      <p>
        One account belongs to one brand. To move it, unlink it and link it again under the other; what was
        posted stays where it is.
      </p>
      {PLATFORM_IDS.map((platform) => {
        const { linking } = PLATFORM_HELP[platform]
        return linking !== null && <p key={platform}>{linking}</p>
      })}
    </>
  )
}
