import { Box, Group, Stack, Switch } from '@mantine/core'
import { useId, useState, type CSSProperties } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Account } from '#contract/accounts.ts'
import type { Video } from '#contract/videos.ts'
import { pictureQuery } from '#web/api/queries.ts'
import { PHONE_CHROME } from '#web/platforms/phone-chrome.tsx'
import { usePoster } from '#web/videos/poster.ts'
import { sourceKey, useVideoSource } from '#web/videos/video-source.ts'
import { AccountTabs } from './account-tabs.tsx'
import { Caption } from './preview-caption.tsx'
import { Screen } from './preview-screen.tsx'
import classes from './preview.module.css'

/** `pictureId`: the own picture that is its cover; null: the frame. */
type Previewed = {
  readonly account: Account
  readonly text: string
  readonly pictureId: number | null
  /** Something is to be done before it can be posted to. */
  readonly needsUser: boolean
}

type Props = {
  accounts: readonly Previewed[]
  selected: Account['account_id'] | null
  onSelect: (id: Account['account_id']) => void
  video: Video | null
  coverMs: number
  /** The local file, where the page has it: nothing is downloaded then. */
  file: File | null
}

/** How the post will look on a phone, for each account. */
export function Preview({ accounts, selected, onSelect, video, coverMs, file }: Props) {
  const panelId = useId()
  const [isSafeAreaShown, setSafeAreaShown] = useState(false)
  const shown = accounts.find(({ account }) => account.account_id === selected) ?? accounts[0]
  // 0 would be any frame that is not black: here the first one is the cover.
  const source = useVideoSource(file, video)
  const own = useQuery(pictureQuery(shown?.pictureId ?? null)).data?.url ?? null
  const frame = usePoster(source, Math.max(1, coverMs))
  return (
    <Stack component="section" gap="sm" miw={0} aria-labelledby={`${panelId}-title`}>
      <Group justify="space-between" wrap="nowrap" className={classes.head ?? ''}>
        <Box component="h2" id={`${panelId}-title`} fz="sm" lh="sm" className={classes.title ?? ''}>
          Preview
        </Box>
        <Switch
          className={classes.safeSwitch ?? ''}
          label="Show safe area"
          labelPosition="left"
          size="xs"
          checked={isSafeAreaShown}
          disabled={shown === undefined}
          onChange={(event) => setSafeAreaShown(event.currentTarget.checked)}
        />
      </Group>
      {shown && (
        <AccountTabs
          accounts={accounts.map(({ account }) => account)}
          needing={new Set(accounts.filter((one) => one.needsUser).map(({ account }) => account.account_id))}
          selected={shown.account}
          onSelect={onSelect}
          panelId={panelId}
        />
      )}
      <div id={panelId} className={classes.phone} {...(shown && { role: 'tabpanel', 'aria-label': 'Phone' })}>
        <Screen
          key={source === null ? 'none' : sourceKey(source)}
          source={source}
          cover={own ?? frame ?? video?.poster_url ?? null}
          isCropped={own !== null}
        />
        {shown ? (
          <Post of={shown} isSafeAreaShown={isSafeAreaShown} />
        ) : (
          <p className={classes.message}>Choose an account to see the post as its followers will.</p>
        )}
      </div>
      {isSafeAreaShown && shown && <p className={classes.note}>The app covers the tinted edges.</p>}
    </Stack>
  )
}

function Post({ of: { account, text }, isSafeAreaShown }: { of: Previewed; isSafeAreaShown: boolean }) {
  const { Chrome, captionLines, safeArea } = PHONE_CHROME[account.platform]
  return (
    <>
      <div className={classes.shade} />
      {isSafeAreaShown && (
        <div
          className={classes.safe}
          data-testid="safe-area"
          style={
            {
              '--top': `${safeArea.top * 100}%`,
              '--right': `${safeArea.right * 100}%`,
              '--bottom': `${safeArea.bottom * 100}%`,
              '--left': `${safeArea.left * 100}%`,
            } as CSSProperties
          }
        />
      )}
      <Chrome
        account={account}
        caption={<Caption key={`${captionLines} ${text}`} text={text} lines={captionLines} />}
      />
    </>
  )
}
