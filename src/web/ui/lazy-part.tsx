import { createContext, lazy, use, useCallback, useState, type ComponentType, type ReactNode } from 'react'
import { DialogNotLoaded, isNotLoaded, loadFailedStyles, NothingYet, PartNotLoaded } from './not-loaded.tsx'

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

/** A stand-in replaces a part whose code could not be loaded. `open` loads it again, and rejects if it still cannot be. */
export type StandIn<Props> = (props: {
  open: () => Promise<void>
  error: unknown
  partProps: Props
}) => ReactNode

/** A component whose code is loaded on first use, and again after a failed load. */
export function lazyWith<Props extends object>(
  load: Load<Props>,
  NotLoaded: StandIn<Props>,
): ComponentType<Props> {
  const make = (): ComponentType<Props> =>
    lazy(() =>
      load().catch((error: unknown) => {
        // Any other error is the part's own, and for the page's error boundary.
        if (!isNotLoaded(error)) throw error
        return { default: standInFor(error, NotLoaded) }
      }),
    )
  let latest = make()
  return function LazyPart(props: Props) {
    const [Latest, show] = useState(() => latest)
    const open = useCallback(async () => {
      await Promise.all([load(), loadFailedStyles()])
      latest = make()
      show(() => latest)
    }, [])
    return (
      <Reopen value={open}>
        <Latest {...props} />
      </Reopen>
    )
  }
}

const standInFor = <Props,>(error: unknown, NotLoaded: StandIn<Props>) =>
  function PartStandIn(partProps: Props) {
    return <NotLoaded open={use(Reopen)} error={error} partProps={partProps} />
  }

const Reopen = createContext<() => Promise<void>>(() => Promise.reject(new Error('Nothing was loaded')))

/** A part of a page: one that cannot be loaded says so in its place. */
export const lazyPart = <Props extends object>(load: Load<Props>): ComponentType<Props> =>
  lazyWith(load, PartNotLoaded)

type DialogProps = { opened?: boolean; onClose: () => void }

/** A dialog: one that cannot be loaded says so at the bottom of the window. */
export const lazyDialog = <Props extends DialogProps>(load: Load<Props>): ComponentType<Props> =>
  lazyWith(load, ({ open, partProps: { opened = true, onClose } }) =>
    opened ? <DialogNotLoaded open={open} onClose={onClose} /> : null,
  )

/** Something that nobody waits for: until it can be loaded, nothing is there. */
export const lazyExtra = <Props extends object>(load: Load<Props>): ComponentType<Props> =>
  lazyWith(load, NothingYet)
