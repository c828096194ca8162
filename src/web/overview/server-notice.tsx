import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { settingsQuery } from '#web/api/queries.ts'
import { PATHS } from '#web/lib/paths.ts'
import { CLOSED_NOTICE_KEY } from '#web/lib/storage-keys.ts'
import { readItem, writeItem } from '#web/lib/storage.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'

/** The server's own notice (ruling R4); closed, it is a chip that opens it again. */
export default function ServerNotice() {
  const settings = useQuery(settingsQuery)
  const [closed, setClosed] = useState(() => readItem(CLOSED_NOTICE_KEY))
  if (settings.data?.notice == null) return null
  const { notice, practice_url } = settings.data
  const close = (text: string) => {
    writeItem(CLOSED_NOTICE_KEY, text)
    setClosed(text)
  }
  if (closed === notice)
    return (
      <Button size="compact-sm" variant="default" mr="auto" onClick={() => close('')}>
        {practice_url === null ? 'Notice' : 'Practice mode'}
      </Button>
    )
  return (
    <InlineAlert
      tone="note"
      live={false}
      actions={
        <>
          {practice_url !== null && (
            <Button
              size="xs"
              variant="default"
              component="a"
              href={practice_url}
              target="_blank"
              rel="noreferrer"
            >
              See the practice feed
            </Button>
          )}
          <Button size="xs" variant="default" component={Link} to={`${PATHS.help}#going-live`}>
            How to go live
          </Button>
          <Button size="xs" variant="subtle" onClick={() => close(notice)}>
            Close
          </Button>
        </>
      }
    >
      {notice}
    </InlineAlert>
  )
}
