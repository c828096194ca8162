import { Checkbox, Select, TextInput } from '@mantine/core'
import {
  INSTAGRAM_AUDIO_NAME_MAX_CHARS,
  INSTAGRAM_COLLABORATORS_MAX,
  INSTAGRAM_USER_TAGS_MAX,
} from '#contract/platforms/instagram.ts'
import { OPENS_IN_VIEW } from '#web/lib/dom/opens-in-view.ts'
import type { PanelProps } from '#web/video/form/panel.ts'
import { Graduation, type InstagramChoices } from './composer-options.ts'
import { ShareToFeed } from './share-to-feed.tsx'

/** Instagram's options in the composer. */
export function InstagramFields(props: PanelProps<InstagramChoices>) {
  const { value, onChange, errors, disabled } = props
  return (
    <>
      <ShareToFeed {...props} />
      <TextInput
        label="Collaborators"
        description={`Up to ${INSTAGRAM_COLLABORATORS_MAX} usernames. They get a request.`}
        inputWrapperOrder={ORDER}
        value={value.collaborators}
        onChange={(event) => onChange({ ...value, collaborators: event.currentTarget.value })}
        error={errors['collaborators']}
        disabled={disabled}
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        label="Tag people"
        description={`Up to ${INSTAGRAM_USER_TAGS_MAX} usernames of public accounts.`}
        inputWrapperOrder={ORDER}
        value={value.tags}
        onChange={(event) => onChange({ ...value, tags: event.currentTarget.value })}
        error={errors['user_tags']}
        disabled={disabled}
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        label="Audio name"
        description="For the original sound."
        inputWrapperOrder={ORDER}
        value={value.audioName}
        maxLength={INSTAGRAM_AUDIO_NAME_MAX_CHARS}
        onChange={(event) => onChange({ ...value, audioName: event.currentTarget.value })}
        error={errors['audio_name']}
        disabled={disabled}
      />
      <Select
        label="Trial reel"
        description="Shown first to people who don't follow the account."
        inputWrapperOrder={ORDER}
        data={TRIALS}
        value={value.trial ?? 'off'}
        onChange={(trial) => onChange({ ...value, trial: Graduation.safeParse(trial).data ?? null })}
        comboboxProps={OPENS_IN_VIEW}
        disabled={disabled}
      />
      <Checkbox
        label="AI-generated"
        description="Instagram labels it as made with AI."
        checked={value.ai}
        onChange={(event) => onChange({ ...value, ai: event.currentTarget.checked })}
        disabled={disabled}
      />
    </>
  )
}

const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

const TRIALS = [
  { value: 'off', label: 'Off' },
  { value: 'MANUAL', label: 'On: I share it with followers myself' },
  { value: 'SS_PERFORMANCE', label: 'On: shared with followers if it does well' },
]
