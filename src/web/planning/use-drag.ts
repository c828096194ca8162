import { useEffect, useEffectEvent, useState, type RefObject } from 'react'
import type * as DragAndDrop from './drag-and-drop.ts'
import type { Movable } from './save-calendar-move.ts'

type Library = typeof DragAndDrop

/** Loaded once the page is there: nobody drags before. */
let loading: Promise<Library> | null = null

function useLibrary(): Library | null {
  const [library, setLibrary] = useState<Library | null>(null)
  useEffect(() => {
    let isGone = false
    loading ??= import('./drag-and-drop.ts')
    loading.then(
      (loaded) => isGone || setLibrary(loaded),
      () => (loading = null), // keys and the dialog move everything too
    )
    return () => void (isGone = true)
  }, [])
  return library
}

/** The load of a dragged element. `grabbedPx`: how far below its top it was taken. */
type Carried = { readonly movable: Movable; readonly grabbedPx: number }

/** Lets an element be dragged; null: it stays. */
export function useDraggable(ref: RefObject<HTMLElement | null>, movable: Movable | null): void {
  const library = useLibrary()
  const isMovable = movable !== null
  const carry = useEffectEvent((element: HTMLElement, clientY: number): Record<string, unknown> => ({
    movable,
    grabbedPx: clientY - element.getBoundingClientRect().top,
  }))
  useEffect(() => {
    const element = ref.current
    if (library === null || element === null || !isMovable) return
    return library.draggable({
      element,
      getInitialData: ({ input }) => carry(element, input.clientY),
      onDragStart: () => (element.dataset['dragged'] = ''),
      onDrop: () => delete element.dataset['dragged'],
    })
  }, [library, ref, isMovable])
}

/** Takes what is dropped on an element, and not on one inside of it that takes it. @param topPx of the dragged element, from the top of this one */
type Drop = (movable: Movable, topPx: number) => void

export function useDropTarget(
  ref: RefObject<HTMLElement | null>,
  { onOver, onLeave, onDrop }: { onOver: Drop; onLeave: () => void; onDrop: Drop },
): void {
  const library = useLibrary()
  const over = useEffectEvent(onOver)
  const leave = useEffectEvent(onLeave)
  const drop = useEffectEvent(onDrop)
  useEffect(() => {
    const element = ref.current
    if (library === null || element === null) return
    const tell = (to: Drop, data: Record<string | symbol, unknown>, clientY: number) => {
      const { movable, grabbedPx } = data as unknown as Carried // set by `useDraggable`
      to(movable, clientY - grabbedPx - element.getBoundingClientRect().top)
    }
    return library.dropTargetForElements({
      element,
      onDrag: ({ source, location: { current } }) =>
        current.dropTargets[0]?.element === element
          ? tell(over, source.data, current.input.clientY)
          : leave(),
      onDragLeave: () => leave(),
      onDrop: ({ source, location: { current } }) => {
        leave()
        if (current.dropTargets[0]?.element === element) tell(drop, source.data, current.input.clientY)
      },
    })
  }, [library, ref])
}
