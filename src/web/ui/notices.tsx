import { useMediaQuery } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'

/** Where `announce` speaks. Loaded after the page; what was said before it came is shown then. */
export default function Notices() {
  // On a phone the bottom belongs to the primary action.
  const phone = useMediaQuery('(max-width: 37.49em)') ?? false
  return <Notifications position={phone ? 'top-center' : 'bottom-right'} limit={4} />
}
