import { useState, type DragEvent, type ReactNode, type RefObject } from 'react'
import classes from './videos.module.css'

type Files = { onFiles: (files: readonly File[]) => void }

/** Opened by the buttons, which have the focus and the names. */
export const FileChooser = ({ input, onFiles }: Files & { input: RefObject<HTMLInputElement | null> }) => (
  <input
    ref={input}
    type="file"
    accept="video/*"
    multiple
    aria-label="Video files"
    tabIndex={-1}
    hidden
    onChange={({ currentTarget }) => {
      const files = [...(currentTarget.files ?? [])]
      // Otherwise choosing the same, edited file again fires no change event.
      currentTarget.value = ''
      if (files.length > 0) onFiles(files)
    }}
  />
)

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')

/** The page, on which files can be dropped. */
export function DropZone({ onFiles, children }: Files & { children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  return (
    <div
      className={classes.zone}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false)
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
    </div>
  )
}
