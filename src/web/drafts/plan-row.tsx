import '@mantine/core/styles/Progress.css'
import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconEye, IconPencil, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Brand } from '#contract/brands.ts'
import type { FreeSlot } from '#contract/planning/schedules.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { reasonOf } from '#web/api/problem-reason.ts'
import { videoQuery } from '#web/api/queries.ts'
import { CaptionInput } from '#web/composer/caption-input.tsx'
import type { ComposeAction } from '#web/composer/compose-state.ts'
import type { LiveAccount } from '#web/composer/readiness.ts'
import { accountsWord, defaultTime, momentOf, namedMoment } from '#web/composer/when.ts'
import { formatBytes } from '#web/lib/amounts.ts'
import { dateOf, dayOf, localDayAndTime, weekday } from '#web/lib/moments.ts'
import { draftPath } from '#web/lib/paths.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import { DayField, TimeField } from '#web/ui/day-and-time.tsx'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { FixStep } from '#web/videos/fix-step.tsx'
import type { NamedFile } from '#web/videos/planned-uploads.ts'
import { UploadProgress } from '#web/videos/upload-progress.tsx'
import { useShownUpload } from '#web/videos/use-upload.ts'
import { removeUpload } from '#web/videos/uploads.ts'
import { PlanAccounts } from './plan-accounts.tsx'
import { checkText, type CheckedRow } from './plan-checks.ts'
import classes from './plan.module.css'

type Props = {
  checked: CheckedRow
  /** "3": its place among the posts. */
  position: number
  /** What all posts lack is said above them. */
  common: readonly string[]
  /** The file that was to become its video, as this browser remembers it. */
  file: NamedFile | null
  brands: readonly Brand[]
  live: readonly LiveAccount[]
  /** The free slot that it will take, as far as it is known. */
  slot: FreeSlot | null
  zone: string
  now: number
  disabled: boolean
  dispatch: (action: ComposeAction) => void
  onTakeOut: () => void
  /** Opens the file dialog for its video. */
  onChoose: () => void
  onRetry: (file: File) => void
}

const AVATARS_SHOWN = 3

/** One post of a plan: its video, caption, accounts and time, and what is in its way. */
export function PlanRowCard(props: Props) {
  const { checked, position, common, brands, live, disabled, dispatch, onTakeOut } = props
  const { row, video } = checked
  const { content, draftId } = row
  const { upload } = useShownUpload<Video>(draftId)
  const name = video?.filename ?? upload?.filename ?? props.file?.filename ?? `Post ${position}`
  const checks = checked.checks.filter((check) => !common.includes(checkText(check)))
  const ids = new Set(content.targets.map(({ account_id }) => account_id))
  const chosen = live.filter(({ account }) => ids.has(account.account_id))
  const [isChoosing, setChoosing] = useState(false)
  return (
    <li className={classes.row} aria-label={name} id={rowId(draftId)} tabIndex={-1}>
      <Picture video={video} />
      <Stack gap="0.25rem" miw={0} className={classes.video ?? ''}>
        <Text fw={600} size="xs" truncate dir="auto" title={name}>
          {name}
        </Text>
        <VideoState {...props} name={name} />
      </Stack>
      <div className={classes.caption}>
        <CaptionInput
          aria-label={`Caption of ${name}`}
          placeholder="Caption"
          autosize
          minRows={3}
          maxRows={8}
          value={content.text}
          disabled={disabled}
          onChange={(text) => dispatch({ type: 'set text', text })}
          platforms={[...new Set(chosen.map(({ account }) => account.platform))]}
          receivers={chosen.map(({ account }) => account)}
          onEach={(texts) => {
            for (const [accountId, text] of texts) dispatch({ type: 'set account text', accountId, text })
          }}
          error={checks.some(({ place, level }) => place?.at === 'caption' && level === 'stop')}
        />
      </div>
      <div className={classes.who}>
        <FieldsPopover
          label={`Accounts of ${name}`}
          opened={isChoosing}
          onChange={setChoosing}
          position="bottom-start"
          width={320}
          target={
            <Button
              variant="default"
              size="xs"
              disabled={disabled}
              aria-label={`${chosen.length === 0 ? 'Choose accounts' : accountsWord(chosen.length)}: ${name}`}
              aria-haspopup="dialog"
              aria-expanded={isChoosing}
              onClick={() => setChoosing(!isChoosing)}
              leftSection={
                chosen.length > 0 && (
                  <span className={classes.avatars}>
                    {chosen.slice(0, AVATARS_SHOWN).map(({ account }) => (
                      <AccountAvatar key={account.account_id} of={account} />
                    ))}
                  </span>
                )
              }
            >
              {chosen.length === 0 ? 'Choose accounts' : accountsWord(chosen.length)}
            </Button>
          }
        >
          <div className={classes.popover}>
            <PlanAccounts
              brands={brands}
              accounts={live}
              count={(id) => (ids.has(id) ? 1 : 0)}
              posts={1}
              disabled={disabled}
              onSelect={(accountIds, on) => dispatch({ type: on ? 'select' : 'clear', accountIds })}
            />
          </div>
        </FieldsPopover>
      </div>
      <Time {...props} name={name} />
      <Group gap="0.125rem" wrap="nowrap" className={classes.rowActions ?? ''}>
        <ActionIcon component={Link} to={draftPath(draftId)} aria-label={`Open ${name} in the composer`}>
          <IconPencil {...ICON} />
        </ActionIcon>
        <ActionIcon aria-label={`Take ${name} out of the plan`} disabled={disabled} onClick={onTakeOut}>
          <IconX {...ICON} />
        </ActionIcon>
      </Group>
      {checks.length > 0 && (
        <ul className={classes.checks} aria-label={`Checks of ${name}`}>
          {checks.map((check) => (
            <li key={check.key} data-level={check.level}>
              {check.level === 'look' ? <IconEye {...ICON} /> : <IconAlertTriangle {...ICON} />}
              <span>{checkText(check)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

export const rowId = (draftId: string): string => `plan-${draftId}`

/** Its poster is made after the upload, and then stands in the cache. */
function Picture({ video }: { video: Video | null }) {
  const stored = useQuery({ ...videoQuery(video?.video_id ?? null), enabled: false }).data ?? video
  return (
    <Thumbnail src={stored?.poster_url ?? null} seconds={stored?.facts.duration_s ?? null} size="small" />
  )
}

type PartProps = Props & { name: string }

function VideoState({ checked: { row, video }, file, name, disabled, onChoose, onRetry }: PartProps) {
  const { place, upload } = useShownUpload<Video>(row.draftId)
  const again = (
    <Button size="xs" variant="default" disabled={disabled} onClick={onChoose}>
      {`Choose ${file === null ? 'a video' : 'it again'}`}
    </Button>
  )
  switch (upload?.state.kind) {
    case 'pending':
      return <Quiet>Waits for the others</Quiet>
    case 'checking':
      return <Quiet>Reading the video …</Quiet>
    case 'uploading':
      return <UploadProgress upload={upload.state} filename={name} />
    case 'asking':
    case 'fixing':
    case 'unfixed':
      return <FixStep upload={upload} disabled={disabled} onDismiss={() => void removeUpload(place.id)} />
    case 'failed':
    case 'refused': {
      const { state, file: failed } = upload
      const why = state.kind === 'refused' ? state.message : (reasonOf(state.error) ?? TEXTS.unknownError)
      return (
        <InlineAlert
          actions={
            <>
              {failed !== null && state.kind === 'failed' && (
                <Button size="xs" variant="default" onClick={() => onRetry(failed)}>
                  Try again
                </Button>
              )}
              <Button size="xs" variant="default" disabled={disabled} onClick={onChoose}>
                Choose a video
              </Button>
            </>
          }
        >
          {why}
        </InlineAlert>
      )
    }
    case 'cancelled':
      return (
        <InlineAlert tone="note" actions={again}>
          {upload.state.message}
        </InlineAlert>
      )
    case 'done':
    case 'known':
    case undefined:
      if (video !== null)
        return (
          <Group gap="0.375rem" wrap="nowrap" c="dimmed" fz="xs">
            <IconCheck {...ICON} size={14} color="var(--r-published)" />
            <span>{[formatBytes(video.size), sizeText(video)].filter(Boolean).join(' · ')}</span>
          </Group>
        )
      return (
        <InlineAlert tone="attention" live={false} actions={again}>
          {file === null
            ? 'It has no video.'
            : `Not uploaded yet. Choose ${file.filename} again to continue.`}
        </InlineAlert>
      )
  }
}

const sizeText = ({ facts: { width, height } }: Video): string | null =>
  width === null || height === null ? null : `${width} × ${height}`

const Quiet = ({ children }: { children: string }) => (
  <Text c="dimmed" size="xs">
    {children}
  </Text>
)

function Time({ checked, slot, zone, now, disabled, dispatch, name }: PartProps) {
  const { publish_at: at, schedule } = checked.row.content
  const set = (local: string, timezone: string) =>
    dispatch({ type: 'plan', plan: { publish_at: { local, timezone } } })
  if (schedule !== undefined)
    return (
      <div className={classes.time}>
        <Stack gap={0} fz="xs">
          <span>
            {schedule.place === 'slot' ? localDayAndTime(schedule.slot.local) : PLACES[schedule.place]}
          </span>
          {slot !== null && (
            <Text span inherit c="dimmed">{`about ${namedMoment(slot, { zone, now })}`}</Text>
          )}
        </Stack>
        <Button
          size="compact-xs"
          variant="subtle"
          color="accent"
          ml="-0.4375rem"
          style={{ alignSelf: 'flex-start' }}
          disabled={disabled}
          aria-label={`Set a time for ${name}`}
          onClick={() => {
            const { local, timezone } = defaultTime(zone, now)
            set(local, timezone)
          }}
        >
          Set a time
        </Button>
      </div>
    )
  const time = at ?? { ...defaultTime(zone, now), local: '' }
  const [day = '', clock = ''] = time.local.split('T')
  const hasError =
    checked.checks.some(({ place, level }) => place?.at === 'time' && level === 'stop') &&
    (at === null ? false : momentOf(at) === null || Date.parse(momentOf(at)?.at ?? '') <= now)
  return (
    <div className={classes.time}>
      <DayField
        aria-label={`Day of ${name}${day === '' ? '' : `: ${weekday(day)} ${dateOf(day, 'UTC')}`}`}
        placeholder="Day"
        value={day === '' ? null : day}
        minDate={dayOf(new Date(now).toISOString(), time.timezone)}
        error={hasError}
        disabled={disabled}
        onChange={(value) =>
          value !== null && set(`${value}T${clock === '' ? '18:00' : clock}`, time.timezone)
        }
      />
      <TimeField
        aria-label={`Time of ${name}`}
        hoursInputLabel={`Hours of ${name}`}
        minutesInputLabel={`Minutes of ${name}`}
        value={clock}
        error={hasError}
        disabled={disabled || day === ''}
        onChange={(value) => value !== '' && set(`${day}T${value}`, time.timezone)}
      />
    </div>
  )
}

const PLACES = {
  next: 'Next free slot',
  top: 'First slot of its schedule',
  bottom: 'End of its schedule',
} as const
