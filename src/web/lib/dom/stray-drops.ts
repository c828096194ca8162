/**
 * A file that is dropped beside a field would replace the page by itself, and with it all that was typed and is being
 * sent. The fields take their own drops before this hears of them.
 * @returns what ends it
 */
export function refuseStrayDrops(): () => void {
  window.addEventListener('dragover', refuse)
  window.addEventListener('drop', refuse)
  return () => {
    window.removeEventListener('dragover', refuse)
    window.removeEventListener('drop', refuse)
  }
}

function refuse(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'none'
}
