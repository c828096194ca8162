import { useRef, type MouseEvent, type PointerEvent } from 'react'

const LONG_MS = 450
/** A finger that moves further scrolls. */
const STILL_PX = 10

/** Calls back when a finger rests on something. `wasLong` tells, once, that the click which follows is the end of that. */
export function useLongPress(onLongPress: () => void, isOn: boolean) {
  const pressed = useRef<{ x: number; y: number; timer: number } | null>(null)
  const isLong = useRef(false)
  const end = () => {
    if (pressed.current !== null) clearTimeout(pressed.current.timer)
    pressed.current = null
  }
  const handlers = {
    onPointerDown: ({ pointerType, clientX: x, clientY: y, target }: PointerEvent) => {
      isLong.current = false
      if (pointerType === 'mouse' || (target instanceof Element && target.closest('[data-control]'))) return
      const timer = window.setTimeout(() => {
        isLong.current = true
        onLongPress()
      }, LONG_MS)
      pressed.current = { x, y, timer }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const from = pressed.current
      if (from !== null && Math.hypot(clientX - from.x, clientY - from.y) > STILL_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    // Android's own menu for pictures.
    onContextMenu: (event: MouseEvent) =>
      (pressed.current !== null || isLong.current) && event.preventDefault(),
  }
  return {
    handlers: isOn ? handlers : {},
    wasLong: () => {
      const was = isLong.current
      isLong.current = false
      return was
    },
  }
}
