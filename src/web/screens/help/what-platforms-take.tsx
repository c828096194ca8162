import { PLATFORM_IDS, PLATFORM_NAMES, VIDEO_LIMITS, type VideoLimits } from '#contract/platforms/index.ts'
import { listed, megabytes, seconds } from '#domain/post-check.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import classes from './help.module.css'

/** From the very limits that a video is checked against. */
export function WhatPlatformsTake() {
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label="Limits of each platform">
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Video</th>
              {PLATFORM_IDS.map((platform) => (
                <th key={platform} scope="col">
                  {PLATFORM_NAMES[platform]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(({ name, of }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {PLATFORM_IDS.map((platform) => (
                  <td key={platform}>{of(VIDEO_LIMITS[platform])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {PLATFORM_IDS.map((platform) => {
        const { form } = PLATFORM_HELP[platform]
        return form !== null && <p key={platform}>{form}</p>
      })}
      <p>An upright picture, 1080 × 1920, fills the screen everywhere.</p>
    </>
  )
}

const ROWS: readonly { name: string; of: (limits: VideoLimits) => string }[] = [
  { name: 'File', of: ({ containers }) => listed(containers) },
  { name: 'Picture', of: ({ videoCodecs }) => listed(videoCodecs) },
  { name: 'Sound', of: ({ audioCodecs }) => `${listed(audioCodecs)}, or none` },
  { name: 'Size', of: ({ maxBytes }) => `up to ${megabytes(maxBytes)}` },
  {
    name: 'Length',
    of: ({ minDurationS, maxDurationS }) =>
      maxDurationS === null
        ? `${seconds(minDurationS)} or more; the longest depends on the account`
        : `${seconds(minDurationS)} to ${seconds(maxDurationS)}`,
  },
  { name: 'Frames a second', of: ({ minFps, maxFps }) => `${minFps} to ${maxFps}` },
  {
    name: 'Resolution',
    of: ({ minSidePx, maxWidthPx }) =>
      minSidePx > 1 ? `${minSidePx} to ${maxWidthPx} pixels a side` : `up to ${maxWidthPx} pixels across`,
  },
  { name: 'Text', of: ({ textMaxChars }) => `up to ${textMaxChars} characters` },
]
