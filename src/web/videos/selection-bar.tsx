import { Button, Checkbox, Menu } from '@mantine/core'
import { IconBuildingStore, IconDownload, IconPlus, IconTag, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { BrandId } from '#contract/ids.ts'
import { VIDEOS_AT_ONCE_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { refreshVideos, replaceVideos } from '#web/api/videos.ts'
import { announce } from '#web/ui/announce.tsx'
import { BarButton, BottomBar } from '#web/ui/bottom-bar.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { counted, formatBytes } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import classes from './videos.module.css'

type Props = {
  videos: readonly Video[]
  onClear: () => void
  onChanged: (videos: readonly Video[]) => void
  onTags: () => void
  onDelete: () => void
  onDownload: () => void
  onNewPosts: () => void
  isStarting: boolean
}

/** At the foot of the page: what is selected, and what can be done with it. */
export function SelectionBar(props: Props) {
  const { videos, onClear, onChanged, onTags, onDelete, onDownload, onNewPosts, isStarting } = props
  const bytes = videos.reduce((sum, { size }) => sum + size, 0)
  return (
    <BottomBar label="Selected videos">
      <div className={classes.selected}>
        <Checkbox
          aria-label="Clear the selection"
          checked={false}
          indeterminate
          onChange={onClear}
          className={classes.barCheck ?? ''}
        />
        <output>
          <strong>{videos.length.toLocaleString('en')} selected</strong>
        </output>
        <span className={classes.barFacts}>
          {formatBytes(bytes)} · {useOf(videos)}
          {videos.length === VIDEOS_AT_ONCE_MAX && ` · ${VIDEOS_AT_ONCE_MAX} at most at a time`}
        </span>
        <Button variant="subtle" size="compact-sm" color="accent" onClick={onClear}>
          Clear
        </Button>
      </div>
      <div className={classes.barActions}>
        <BarButton icon={<IconTag {...ICON} />} label="Tag" onClick={onTags} />
        <BrandMenu videos={videos} onChanged={onChanged} />
        <BarButton icon={<IconDownload {...ICON} />} label="Download" onClick={onDownload} />
        <BarButton
          icon={<IconTrash {...ICON} />}
          label={`Delete ${videos.length}`}
          color="failed"
          onClick={onDelete}
        />
        <Button
          variant="light"
          className={classes.newPosts ?? ''}
          leftSection={<IconPlus {...ICON} />}
          loading={isStarting}
          onClick={onNewPosts}
        >
          <span>
            {videos.length === 1 ? 'New post' : 'New posts'}{' '}
            <span className={classes.barRest}>{videos.length === 1 ? 'with this' : 'with these'}</span>
          </span>
        </Button>
      </div>
    </BottomBar>
  )
}

function useOf(videos: readonly Video[]): string {
  const used = videos.filter(({ used_in }) => used_in.posts > 0).length
  if (used === 0) return 'not used in any post'
  if (used < videos.length) return `${used} used in posts`
  return videos.length === 1 ? 'used in posts' : 'all used in posts'
}

function BrandMenu({ videos, onChanged }: Pick<Props, 'videos' | 'onChanged'>) {
  const brands = useQuery(brandsQuery).data ?? []
  const assign = useMutation({
    mutationFn: (brandId: BrandId | null) =>
      call('updateVideos', {
        body: { video_ids: videos.map(({ video_id }) => video_id), brand_id: brandId },
      }),
    onSuccess: (answer, brandId) => {
      replaceVideos(answer.videos)
      onChanged(answer.videos)
      refreshVideos()
      const title = brands.find(({ brand_id }) => brand_id === brandId)?.title
      const what = counted(answer.videos.length, 'video')
      announce({
        kind: 'done',
        message: title === undefined ? `Brand removed from ${what}.` : `${what} assigned to ${title}.`,
      })
    },
    onError: (error) => announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
  })
  if (brands.length === 0) return null
  return (
    <Menu position="top">
      <Menu.Target>
        <BarButton icon={<IconBuildingStore {...ICON} />} label="Brand" loading={assign.isPending} />
      </Menu.Target>
      <Menu.Dropdown className={classes.scroll ?? ''}>
        {brands.map(({ brand_id, title }) => (
          <Menu.Item key={brand_id} onClick={() => assign.mutate(brand_id)}>
            {title}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => assign.mutate(null)}>No brand</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
