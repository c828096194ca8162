import { PLATFORM_IDS, PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { VIDEO_LIMITS } from '#contract/platforms/video-limits.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import classes from './help.module.css'
import { LIMITS } from './limits.ts'

/** Built from the limits that the video check enforces. On a phone each row is a card. */
export function WhatPlatformsTake() {
  return (
    <>
      <table className={classes.table} aria-label="What each platform accepts">
        <thead>
          <tr>
            <th scope="col">Video</th>
            {PLATFORM_IDS.map((platform) => (
              <th key={platform} scope="col">
                <PlatformName platform={platform} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ name, of }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {PLATFORM_IDS.map((platform) => (
                <td key={platform} data-platform={PLATFORM_NAMES[platform]}>
                  {of(platform)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {PLATFORM_IDS.map((platform) => {
        const { form } = PLATFORM_HELP[platform]
        return form !== null && <p key={platform}>{form}</p>
      })}
      <p>
        Upright video, 1080 × 1920, fills the screen everywhere. Reelay checks every video against these
        limits before it sends anything.
      </p>
    </>
  )
}

const ROWS: readonly { name: string; of: (platform: PlatformId) => string }[] = [
  ...LIMITS.map(({ name, of }) => ({ name, of: (platform: PlatformId) => of(VIDEO_LIMITS[platform]) })),
  { name: 'Accounts', of: (platform) => PLATFORM_HELP[platform].accounts },
  { name: 'Posts a day', of: (platform) => PLATFORM_HELP[platform].perDay },
]
