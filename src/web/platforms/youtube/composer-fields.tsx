import { Button, Group, Radio, Select, Stack, Switch } from '@mantine/core'
import {
  countTagChars,
  YOUTUBE_COMMENT_MAX_CHARS,
  YOUTUBE_LICENSES,
  YOUTUBE_PRIVACY_LEVELS,
  YOUTUBE_TAGS_MAX_CHARS,
  YOUTUBE_TITLE_MAX_CHARS,
  type YouTubePrivacy,
  YouTubeTag,
} from '#contract/platforms/youtube.ts'
import { OPENS_IN_VIEW } from '#web/lib/opens-in-view.ts'
import { type Chips, ChipsField } from '#web/platforms/kit/chips-field.tsx'
import { FirstComment } from '#web/platforms/kit/first-comment.tsx'
import classes from '#web/platforms/kit/kit.module.css'
import { MoreOptions } from '#web/platforms/kit/more-options.tsx'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import { PictureField } from '#web/videos/picture-field.tsx'
import { fitThumbnail, License, titleOf, whyNoComment, type YouTubeChoices } from './composer-options.ts'
import { CATEGORIES, LICENSE_LABELS, PRIVACY_LABELS } from './labels.ts'
import { joinTags, splitTags, tagsIn } from './tags.ts'

type Props = PanelProps<YouTubeChoices>

export function YouTubeFields(props: Props) {
  const { value, onChange, errors, disabled } = props
  return (
    <>
      <Stack gap="0.75rem">
        <Title {...props} />
        <Visibility {...props} />
      </Stack>
      <MadeForKids {...props} />
      <div className={`${classes.below} ${classes.columns}`}>
        <Switch
          label="Altered or synthetic content"
          // Else the description would be part of the name.
          aria-label="Altered or synthetic content"
          description="Turn on if something that looks real was changed or made with AI. YouTube labels the video."
          checked={value.synthetic}
          onChange={(event) => onChange({ ...value, synthetic: event.currentTarget.checked })}
          disabled={disabled}
        />
        <Switch
          label="Notify subscribers"
          aria-label="Notify subscribers"
          description="YouTube tells subscribers about a public video. Turn off when you post many at once."
          checked={value.notify}
          onChange={(event) => onChange({ ...value, notify: event.currentTarget.checked })}
          disabled={disabled}
        />
      </div>
      <div className={`${classes.below} ${classes.columns}`}>
        <Tags {...props} />
        <Select
          label="Category"
          placeholder="YouTube chooses"
          data={CATEGORIES}
          value={value.category}
          onChange={(category) => onChange({ ...value, category })}
          clearable
          clearButtonProps={{ 'aria-label': 'No category' }}
          comboboxProps={OPENS_IN_VIEW}
          error={errors['category_id']}
          disabled={disabled}
        />
      </div>
      <div className={classes.below}>
        <FirstComment {...props} max={YOUTUBE_COMMENT_MAX_CHARS} impossible={whyNoComment(value)} />
      </div>
      <More {...props} />
    </>
  )
}

/** The caption's first line, until something else is typed. */
function Title({ value, onChange, errors, disabled, context }: Props) {
  const isOwn = value.title !== null
  return (
    <div>
      <CountedText
        label="Title"
        value={titleOf(value, context)}
        // A title is one line.
        onChange={(title) => onChange({ ...value, title: title.replace(/\s*\n\s*/g, ' ') })}
        max={YOUTUBE_TITLE_MAX_CHARS}
        help={isOwn ? '' : "From the caption's first line."}
        error={errors['title'] ?? null}
        required
        disabled={disabled}
        rows={1}
      />
      {isOwn && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="accent"
          disabled={disabled}
          onClick={({ currentTarget }) => {
            // This button goes, and the focus with it.
            currentTarget.parentElement?.querySelector('textarea')?.focus()
            onChange({ ...value, title: null })
          }}
        >
          Use the caption's first line
        </Button>
      )}
    </div>
  )
}

const SEEN_BY: Record<YouTubePrivacy, string> = {
  public: 'Everyone',
  unlisted: 'Anyone who has the link',
  private: 'Only the channel, and people it invites on YouTube',
}

/** YouTube demands that all three are offered (Required Minimum Functionality, 2026-09-11). Ours: none is preselected. */
const Visibility = ({ value, onChange, errors, disabled }: Props) => (
  <Select
    label="Who can see this video"
    placeholder="Choose"
    data={YOUTUBE_PRIVACY_LEVELS.map((level) => ({ value: level, label: PRIVACY_LABELS[level] }))}
    renderOption={({ option }) => (
      <Stack component="span" gap={0}>
        {option.label}
        <small>{Object.entries(SEEN_BY).find(([level]) => level === option.value)?.[1]}</small>
      </Stack>
    )}
    value={value.privacy}
    onChange={(privacy) =>
      onChange({ ...value, privacy: YOUTUBE_PRIVACY_LEVELS.find((level) => level === privacy) ?? null })
    }
    // Choosing the same level again must not clear it.
    allowDeselect={false}
    comboboxProps={OPENS_IN_VIEW}
    withAsterisk
    aria-required
    error={errors['privacy']}
    disabled={disabled}
  />
)

/** A legal statement of whoever uploads, so nothing is preselected. */
function MadeForKids({ value, onChange, errors, disabled }: Props) {
  const error = errors['made_for_kids'] ?? null
  return (
    <Radio.Group
      className={classes.below ?? ''}
      label="Is this video made for kids?"
      description="YouTube has to ask this for every video, by law."
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      value={value.madeForKids === null ? null : String(value.madeForKids)}
      onChange={(chosen) => onChange({ ...value, madeForKids: chosen === 'true' })}
      error={error}
      withAsterisk
    >
      <Group gap="0.5rem 1.5rem" my="0.375rem">
        <Radio value="false" label="No" required disabled={disabled} aria-invalid={error !== null} />
        <Radio
          value="true"
          label="Yes, it's made for kids"
          required
          disabled={disabled}
          aria-invalid={error !== null}
        />
      </Group>
    </Radio.Group>
  )
}

const TAGS: Chips = {
  all: tagsIn,
  split: splitTags,
  join: joinTags,
  prefix: '',
  isValid: (tag) => YouTubeTag.safeParse(tag).success,
}

function Tags({ value, onChange, errors, disabled }: Props) {
  const used = countTagChars(tagsIn(value.tags))
  return (
    <ChipsField
      label="Tags"
      chips={TAGS}
      value={value.tags}
      onChange={(tags) => onChange({ ...value, tags })}
      help={`${used} of ${YOUTUBE_TAGS_MAX_CHARS} characters. Separate tags with commas.`}
      error={errors['tags'] ?? null}
      isFull={used >= YOUTUBE_TAGS_MAX_CHARS}
      disabled={disabled}
    />
  )
}

function More({ value, onChange, errors, disabled }: Props) {
  const { thumbnail_picture_id: pictureId, license, embeddable, publicStats } = value
  const set = [pictureId !== null, license !== 'youtube', !embeddable, !publicStats].filter(Boolean).length
  return (
    <MoreOptions set={set} isInvalid={errors['thumbnail_picture_id'] != null}>
      <PictureField
        label="Thumbnail"
        help="Added once YouTube has processed the video. The channel must have confirmed a phone number."
        value={pictureId}
        onChange={(id) => onChange({ ...value, thumbnail_picture_id: id })}
        fit={fitThumbnail}
        error={errors['thumbnail_picture_id'] ?? null}
        disabled={disabled}
      />
      <div className={classes.columns}>
        <Switch
          label="Allow embedding"
          aria-label="Allow embedding"
          description="Other websites can show the video."
          checked={embeddable}
          onChange={(event) => onChange({ ...value, embeddable: event.currentTarget.checked })}
          disabled={disabled}
        />
        <Switch
          label="Public statistics"
          aria-label="Public statistics"
          description="Turn off so that only the channel sees the detailed statistics."
          checked={publicStats}
          onChange={(event) => onChange({ ...value, publicStats: event.currentTarget.checked })}
          disabled={disabled}
        />
      </div>
      <Radio.Group
        label="Licence"
        value={license}
        onChange={(chosen) => onChange({ ...value, license: License.parse(chosen) })}
      >
        <Group gap="0.5rem 1.5rem" mt="0.375rem">
          {YOUTUBE_LICENSES.map((one) => (
            <Radio key={one} value={one} label={LICENSE_LABELS[one]} disabled={disabled} />
          ))}
        </Group>
      </Radio.Group>
    </MoreOptions>
  )
}
