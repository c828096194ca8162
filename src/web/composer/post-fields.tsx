import { Stack, Text } from '@mantine/core'
import type { Dispatch } from 'react'
import type { Brand } from '#contract/brands.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId } from '#contract/ids.ts'
import { COVER_OPTIONS, PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Video } from '#contract/videos.ts'
import { queryClient, videoQuery } from '#web/api/queries.ts'
import { coverOf, replacesCover } from '#web/platforms/option-panels.tsx'
import { usePlanFiles } from '#web/videos/use-plan-files.ts'
import type { PlanFile } from '#web/videos/upload-video.ts'
import { idsOf, selectable } from './account-selection.ts'
import { AccountsList } from './accounts-list.tsx'
import { CaptionField } from './caption-field.tsx'
import type { ComposeAction } from './compose-state.ts'
import { OwnCovers } from './own-covers.tsx'
import type { Judged } from './readiness.ts'
import type { useShow } from './use-show.ts'
import { VideoBlock } from './video-block.tsx'

type Props = {
  draftId: string
  video: Video | null
  planFile: PlanFile
  content: DraftContent
  dispatch: Dispatch<ComposeAction>
  brands: readonly Brand[]
  listed: readonly Judged[]
  selected: readonly Judged[]
  /** What is wrong or missing there; null: nothing is, or nothing was asked yet. */
  errors: { readonly video: string | null; readonly caption: string | null; readonly accounts: string | null }
  /** The accounts of the last post. */
  lastUsed: readonly AccountId[]
  shown: ReturnType<typeof useShow>
  /** Some of the post has gone out. */
  hasStarted: boolean
  /** It is no change of a post. */
  isNew: boolean
  disabled: boolean
}

/** Video, caption and accounts of a post. */
export function PostFields(props: Props) {
  const { draftId, video, planFile, content, dispatch, brands, listed, shown, hasStarted, isNew, disabled } =
    props
  const plan = usePlanFiles()
  const { targets, platform_options } = content
  return (
    <Stack gap="lg" miw={0}>
      <div id="compose-video">
        <VideoBlock
          draftId={draftId}
          onSeveral={isNew ? (files) => plan(files, { targets, platform_options }) : undefined}
          video={video}
          onVideo={(next) => {
            if (next !== null) queryClient.setQueryData(videoQuery(next.video_id).queryKey, next)
            dispatch({ type: 'set video', videoId: next?.video_id ?? null })
            if (content.targets.length > 0 || next === null) return
            const ofBrand = selectable(listed).filter(({ live }) => live.account.brand_id === next.brand_id)
            if (ofBrand.length > 0) dispatch({ type: 'select', accountIds: idsOf(ofBrand) })
          }}
          coverMs={coverOf(content.platform_options)}
          onCover={(coverMs) => dispatch({ type: 'set cover', coverMs })}
          disabled={disabled || hasStarted}
          error={props.errors.video}
          planFile={planFile}
          ownCovers={{
            fields: (
              <OwnCovers
                platforms={new Set(listed.map(({ live }) => live.account.platform))}
                options={content.platform_options}
                onPicture={(platform, pictureId) => {
                  const onPlatform = listed.filter(({ live }) => live.account.platform === platform)
                  dispatch({ type: 'set picture', platform, pictureId, accountIds: idsOf(onPlatform) })
                }}
                disabled={disabled}
              />
            ),
            use: coverUse(props),
          }}
        />
        {hasStarted && (
          <Text c="dimmed" size="xs" mt="xs">
            The post has started for some accounts, so its video and cover stay.
          </Text>
        )}
      </div>
      <CaptionField
        field={shown.captionField}
        value={content.text}
        onChange={(text) => dispatch({ type: 'set text', text })}
        platforms={captionPlatforms(props)}
        receivers={sharingAll(props.selected).map(({ live }) => live.account)}
        onEach={(texts) => dispatch({ type: 'set account texts', texts })}
        error={props.errors.caption}
        disabled={disabled}
      />
      <AccountsList
        brands={brands}
        accounts={listed}
        content={content}
        lastUsed={props.lastUsed}
        isOpen={shown.isOpen}
        onOpen={shown.setOpen}
        disabled={disabled}
        dispatch={dispatch}
        heading={shown.accountsHeading}
        error={props.errors.accounts}
      />
    </Stack>
  )
}

/** Says which accounts show the chosen frame. */
function coverUse({ selected, content }: Pick<Props, 'selected' | 'content'>): string {
  const use = replacesCover(content.platform_options)
    ? 'For accounts without a cover picture'
    : 'All accounts use it'
  const chosen = PLATFORM_IDS.filter((id) => selected.some(({ live }) => live.account.platform === id))
  const without = chosen.filter((id) => COVER_OPTIONS[id] === null)
  const names = without.map((id) => PLATFORM_NAMES[id]).join(' and ')
  if (without.length === 0) return `${use}.`
  return without.length === chosen.length ? `Not used on ${names}.` : `${use}, except on ${names}.`
}

const sharingAll = (selected: readonly Judged[]): readonly Judged[] =>
  selected.filter(({ outgoing }) => outgoing.textOf === 'all' && !outgoing.toInbox)

/** Those whose limits the shared caption has. */
function captionPlatforms({ selected, listed }: Pick<Props, 'selected' | 'listed'>) {
  const sharing = sharingAll(selected)
  const judged = sharing.length > 0 ? sharing : listed
  return PLATFORM_IDS.filter((id) => judged.some(({ live }) => live.account.platform === id))
}
