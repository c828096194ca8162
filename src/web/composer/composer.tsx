import { Button } from '@mantine/core'
import { IconDeviceMobile } from '@tabler/icons-react'
import { useEffect, useState, type KeyboardEvent, type RefObject } from 'react'
import { Link } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import { ICON } from '#web/ui/icons.tsx'
import { useNow } from '#web/lib/use-now.ts'
import { PATHS } from '#web/lib/paths.ts'
import { hasPicture, OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { AccountsList } from './accounts-list.tsx'
import { CaptionField } from './caption-field.tsx'
import { ChecksList } from './checks-list.tsx'
import { ComposeHeader } from './compose-header.tsx'
import classes from './compose.module.css'
import { Conflict } from './draft-conflict.tsx'
import { SavedNote } from './saved-note.tsx'
import { EditNotes } from './edit-notes.tsx'
import { Preview } from './preview.tsx'
import { isInTheWay, isRefusedTime } from './checks.ts'
import { Outcome } from './publish-outcome.tsx'
import { PublishBar } from './publish-bar.tsx'
import { Sheet } from './publish-sheet.tsx'
import type { Start } from './use-draft-saver.ts'
import { useComposer, type Composer as Model } from './use-composer.ts'
import { OwnCovers } from './own-covers.tsx'
import { VideoBlock } from './video-block.tsx'
import { WhenControl } from './when-control.tsx'

type Props = {
  start: Start
  /** The button that was pressed for this content is gone. */
  isRestarted: boolean
  brands: readonly Brand[]
  accounts: readonly Account[]
  /** The draft is saved for the first time. */
  onCreated: (draftId: string) => void
  onRestart: (start: Start) => void
}

/** One post: its video, captions, accounts and time. */
export function Composer({ isRestarted, ...props }: Props) {
  const { brands } = props
  const model = useComposer(props)
  const { isNarrow } = model
  const { captionField } = model.shown
  useFocusOnStart(captionField, isRestarted)
  const [previewing, setPreviewing] = useState(false)
  const pressKeys = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return
    event.preventDefault()
    model.press()
  }
  const preview = <ComposedPreview model={model} />
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a shortcut for the button below
    <div className={classes.composer} onKeyDown={pressKeys}>
      <ComposeHeader
        isEdit={model.edited !== null}
        note={<Saved model={model} />}
        action={
          isNarrow && (
            <Button
              variant="default"
              leftSection={<IconDeviceMobile {...ICON} />}
              aria-haspopup="dialog"
              onClick={() => setPreviewing(true)}
            >
              Preview
            </Button>
          )
        }
      />
      <Editing model={model} />
      <DraftConflict model={model} />
      <div className={classes.columns}>
        <Main model={model} brands={brands} />
        <div className={classes.side}>
          {!isNarrow && preview}
          <ChecksList
            // The bar, always in view, says it at the time's own field.
            checks={isNarrow ? model.checks : model.checks.filter((check) => !isRefusedTime(check))}
            accounts={model.selected.length}
            hasVideo={model.video !== null}
            onShow={model.shown.show}
            onFix={model.fix}
            onUndo={model.undoFix}
            disabled={model.isBusy}
          />
        </div>
      </div>
      <Bar model={model} brands={brands} />
      {isNarrow && previewing && (
        <Sheet title="Preview" onClose={() => setPreviewing(false)}>
          {preview}
        </Sheet>
      )}
    </div>
  )
}

function DraftConflict({ model }: { model: Model }) {
  if (model.saveState.kind !== 'conflict') return null
  return (
    <div className={classes.conflict}>
      <Conflict
        mine={model.content}
        theirs={model.saveState.theirs}
        zone={model.zone}
        onKeepMine={() => {
          model.shown.captionField.current?.focus()
          void model.saver.keepMine()
        }}
        onTakeTheirs={model.takeTheirs}
        onSaveAsNew={model.saveAsNew}
        queue={
          <Button size="xs" variant="default" component={Link} to={PATHS.queue}>
            Go to the queue
          </Button>
        }
      />
    </div>
  )
}

function Saved({ model: { edited, edit, saveState, zone, saver } }: { model: Model }) {
  if (edited) return edit.isChanged && <span className={classes.note}>Not saved yet</span>
  return <SavedNote state={saveState} zone={zone} onRetry={() => void saver.flush()} />
}

/** Above the columns while a post is changed. */
function Editing({ model }: { model: Model }) {
  const { edited, edit } = model
  const now = useNow()
  if (edited === null || (edit.theirs === null && !edited.isRestored)) return null
  return (
    <div className={classes.conflict}>
      <EditNotes
        before={edited.post}
        theirs={edit.theirs}
        isRestored={edited.isRestored}
        zone={model.zone}
        now={now}
        onKeepMine={edit.keepMine}
        onDiscard={model.discardChanges}
      />
    </div>
  )
}

function useFocusOnStart(field: RefObject<HTMLElement | null>, isWanted: boolean): void {
  useEffect(() => {
    if (isWanted) field.current?.focus()
  }, [field, isWanted])
}

function Main({ model, brands }: { model: Model; brands: readonly Brand[] }) {
  const { content, dispatch, isBusy } = model
  const hasStarted = model.edit.started.size > 0
  return (
    <div className={classes.main}>
      <div id="compose-video">
        <VideoBlock
          draftId={model.draftId}
          video={model.video}
          onVideo={model.setVideo}
          coverMs={model.coverMs}
          onCover={model.setCover}
          disabled={isBusy || hasStarted}
          planFile={model.planFile}
          ownCovers={{
            fields: (
              <OwnCovers
                platforms={new Set(model.listed.map(({ live }) => live.account.platform))}
                options={content.platform_options}
                onPicture={(platform, pictureId) =>
                  dispatch({
                    type: 'set picture',
                    platform,
                    pictureId,
                    accountIds: model.listed
                      .filter(({ live }) => live.account.platform === platform)
                      .map(({ live }) => live.account.account_id),
                  })
                }
                disabled={isBusy}
              />
            ),
            isUsed: hasPicture(content.platform_options),
          }}
        />
        {hasStarted && (
          <p className={classes.note}>The post has started for some accounts, so its video and cover stay.</p>
        )}
      </div>
      <CaptionField
        field={model.shown.captionField}
        value={content.text}
        onChange={(text) => dispatch({ type: 'set text', text })}
        platforms={model.captionPlatforms}
        error={model.captionError}
        disabled={isBusy}
      />
      <AccountsList
        brands={brands}
        accounts={model.listed}
        platformOptions={content.platform_options}
        lastUsed={model.lastUsed}
        isOpen={model.shown.isOpen}
        onOpen={model.shown.setOpen}
        disabled={isBusy}
        dispatch={dispatch}
        heading={model.shown.accountsHeading}
      />
    </div>
  )
}

const ComposedPreview = ({ model }: { model: Model }) => (
  <Preview
    accounts={model.selected.map(({ live, outgoing, readiness }) => ({
      account: live.account,
      text: outgoing.text,
      needsUser: isInTheWay(readiness),
      pictureId: OPTION_PANELS[live.account.platform].pictureId(outgoing.options),
    }))}
    selected={model.shown.previewed}
    onSelect={model.shown.setPreviewed}
    video={model.video}
    coverMs={model.coverMs}
    file={model.file}
  />
)

function Bar({ model, brands }: { model: Model; brands: readonly Brand[] }) {
  const now = useNow()
  const isEdit = model.edited !== null
  return (
    <PublishBar
      judged={model.selected}
      gone={model.gone}
      when={model.chosen.when}
      label={model.label}
      time={model.chosen.short}
      control={
        <WhenControl
          chosen={model.chosen}
          brands={new Map(brands.map(({ brand_id, title }) => [brand_id, title]))}
          isNew={!isEdit}
          note={queueNote(model)}
          problem={model.timeProblem}
          disabled={model.isBusy}
          now={now}
        />
      }
      isNarrow={model.isNarrow}
      isBusy={model.published.kind === 'sending'}
      disabled={
        model.isAddingPicture ||
        model.isReplacing ||
        model.isWaiting ||
        model.isChecking ||
        model.saveState.kind === 'conflict' ||
        model.edit.theirs !== null
      }
      onPress={model.press}
      onLeaveOut={(accountIds) => model.dispatch({ type: 'clear', accountIds })}
    >
      <Outcome
        state={model.published}
        judged={model.selected}
        isWaiting={model.isWaiting}
        isEdit={isEdit}
        isTimeBelow={!model.isNarrow}
        onCancelWaiting={model.cancelWaiting}
        onRepeat={model.repeat}
        onLeave={model.leave}
      />
    </PublishBar>
  )
}

/** A post of a queue that gets a time of its own gives its slot to others. */
function queueNote({ edited, content }: Model): string {
  if (edited?.post.queue_id == null || content.queue !== undefined) return ''
  const isMoved = JSON.stringify(content.publish_at) !== JSON.stringify(edited.before.publish_at)
  return isMoved ? 'It leaves its queue, and its slot is free again.' : 'Its queue gave it this time.'
}
