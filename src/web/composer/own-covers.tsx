import { COVER_OPTIONS, PLATFORM_IDS, PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { PictureField } from '#web/videos/picture-field.tsx'
import classes from './composer.module.css'

type Props = {
  /** Of the accounts that could be chosen. */
  platforms: ReadonlySet<PlatformId>
  options: Partial<Record<PlatformId, StoredOptions>>
  onPicture: (platform: PlatformId, pictureId: number | null) => void
  disabled: boolean
}

/** An own picture in place of the frame, for each platform that takes one. */
export const OwnCovers = ({ platforms, options, onPicture, disabled }: Props) =>
  PLATFORM_IDS.filter((id) => platforms.has(id)).map((id) => {
    const { pictureShown, pictureId } = OPTION_PANELS[id]
    return (
      pictureShown && (
        <div key={id} className={classes.ownCover}>
          <PictureField
            label={`${PLATFORM_NAMES[id]} ${pictureShown.noun}`}
            help={
              COVER_OPTIONS[id] === null
                ? `${PLATFORM_NAMES[id]} chooses a frame by itself, unless you give it a picture.`
                : `${PLATFORM_NAMES[id]} can show your own picture instead of the frame.`
            }
            value={pictureId(options[id] ?? null)}
            onChange={(picture) => onPicture(id, picture)}
            fit={pictureShown.fit}
            disabled={disabled}
          />
        </div>
      )
    )
  })
