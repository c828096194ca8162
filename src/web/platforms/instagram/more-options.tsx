import { Radio, Switch, TextInput } from '@mantine/core'
import { INSTAGRAM_USER_TAGS_MAX } from '#contract/platforms/instagram.ts'
import classes from '#web/platforms/kit/kit.module.css'
import { MoreOptions } from '#web/platforms/kit/more-options.tsx'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { PictureField } from '#web/videos/picture-field.tsx'
import { fitCover, Graduation, type InstagramChoices } from './composer-options.ts'
import { NamesField } from './names-field.tsx'

export function InstagramMore(props: PanelProps<InstagramChoices>) {
  const { value, onChange, errors, disabled } = props
  const { tags, audioName, trial, ai, commentsOff, cover_picture_id: pictureId } = value
  const chosen = [
    pictureId !== null,
    tags.trim() !== '',
    audioName.trim() !== '',
    trial !== null,
    ai,
    commentsOff,
  ]
  const isInvalid = ['user_tags', 'audio_name', 'cover_picture_id', 'comment_enabled'].some(
    (name) => errors[name] != null,
  )
  return (
    <MoreOptions set={chosen.filter(Boolean).length} isInvalid={isInvalid}>
      <PictureField
        label="Cover picture"
        help="Instead of a frame of the video."
        value={pictureId}
        onChange={(id) => onChange({ ...value, cover_picture_id: id })}
        fit={fitCover}
        error={errors['cover_picture_id'] ?? null}
        disabled={disabled}
      />
      <div className={classes.columns}>
        <NamesField
          label="Tag people"
          value={tags}
          onChange={(names) => onChange({ ...value, tags: names })}
          max={INSTAGRAM_USER_TAGS_MAX}
          help="Public accounts only."
          error={errors['user_tags'] ?? null}
          disabled={disabled}
        />
        <TextInput
          label="Audio name"
          description={
            errors['audio_name'] == null && 'A name for the original sound. You can set it only once.'
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={audioName}
          onChange={(event) => onChange({ ...value, audioName: event.currentTarget.value })}
          error={errors['audio_name']}
          disabled={disabled}
        />
      </div>
      <TrialReel {...props} />
      <TurnOffComments {...props} />
      <Switch
        label="AI-generated content"
        // Else the description would be part of the name.
        aria-label="AI-generated content"
        description="Instagram labels the reel as made with AI."
        checked={ai}
        onChange={(event) => onChange({ ...value, ai: event.currentTarget.checked })}
        disabled={disabled}
      />
    </MoreOptions>
  )
}

const TurnOffComments = ({ value, onChange, errors, disabled }: PanelProps<InstagramChoices>) => (
  <Switch
    label="Turn off comments"
    // Else the description would be part of the name.
    aria-label="Turn off comments"
    description="Once the post is live. Nobody can comment then, and nobody would see a first comment."
    checked={value.commentsOff}
    onChange={(event) => onChange({ ...value, commentsOff: event.currentTarget.checked })}
    error={errors['comment_enabled']}
    disabled={disabled}
  />
)

/** A trial reel is first seen only by people who don't follow the account. */
function TrialReel({ value, onChange, disabled }: PanelProps<InstagramChoices>) {
  return (
    <>
      <Switch
        label="Trial reel"
        // Else the description would be part of the name.
        aria-label="Trial reel"
        description="Shown only to people who don't follow the account, until it is shared with followers."
        checked={value.trial !== null}
        onChange={(event) => onChange({ ...value, trial: event.currentTarget.checked ? 'MANUAL' : null })}
        disabled={disabled}
      />
      {value.trial !== null && (
        <Radio.Group
          label="Share it with followers"
          value={value.trial}
          onChange={(trial) => onChange({ ...value, trial: Graduation.parse(trial) })}
        >
          <div className={classes.columns}>
            {GRADUATIONS.map(({ graduation, label, when }) => (
              <Radio
                key={graduation}
                value={graduation}
                label={label}
                description={when}
                disabled={disabled}
              />
            ))}
          </div>
        </Radio.Group>
      )}
    </>
  )
}

const GRADUATIONS = [
  { graduation: 'MANUAL', label: 'When I decide', when: 'You share it in the Instagram app.' },
  {
    graduation: 'SS_PERFORMANCE',
    label: 'Automatically',
    when: 'Instagram shares it if it does well within 72 hours.',
  },
] as const
