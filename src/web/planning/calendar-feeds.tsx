import { Button, Modal, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendarShare } from '@tabler/icons-react'
import { useState } from 'react'
import type { Brand } from '#contract/brands.ts'
import { ICON } from '#web/ui/icons.tsx'
import { CalendarFeed } from './calendar-feed.tsx'
import classes from './calendar-feed.module.css'

/** Opens the calendar feed of a brand, for those that have any brand. */
export function CalendarFeeds({ brands }: { brands: readonly Brand[] }) {
  const [opened, modal] = useDisclosure(false)
  const [chosen, setChosen] = useState('')
  const brand = brands.find(({ brand_id }) => String(brand_id) === chosen) ?? brands[0]
  if (!brand) return null
  return (
    <>
      <Button variant="default" leftSection={<IconCalendarShare {...ICON} />} onClick={modal.open}>
        Calendar feeds
      </Button>
      <Modal
        opened={opened}
        onClose={modal.close}
        title="Calendar feeds"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className={classes.feeds}>
          <NativeSelect
            label="Brand"
            value={String(brand.brand_id)}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            data={brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title }))}
          />
          <CalendarFeed key={brand.brand_id} brand={brand} />
        </div>
      </Modal>
    </>
  )
}
