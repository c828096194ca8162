// Chrome on iOS fills fields by script: it sets `value`, which React takes for its own doing, so that the events that follow,
// if any, tell nobody (https://github.com/facebook/react/issues/1159). React looks at a field anew where its value differs from
// the last that was set on the element itself; the prototype's setter sets it unseen.

type Field = HTMLInputElement | HTMLTextAreaElement

const known = new WeakMap<Field, string>()

/** Makes every form take what its fields show, whoever filled them. @returns an end to that */
export function noticeFilledFields(): () => void {
  const ended = new AbortController()
  const options = { capture: true, signal: ended.signal }
  for (const type of ['input', 'change'])
    window.addEventListener(
      type,
      ({ target, isTrusted }) => {
        if (!isField(target)) return
        if (!isTrusted) forget(target)
        known.set(target, target.value)
      },
      options,
    )
  // Some fill without an event: then the form is the first to hear of it.
  window.addEventListener(
    'submit',
    ({ target }) => {
      if (!(target instanceof HTMLFormElement)) return
      for (const field of target.elements)
        if (isField(field) && field.value !== (known.get(field) ?? field.defaultValue))
          field.dispatchEvent(new Event('input', { bubbles: true }))
    },
    options,
  )
  return () => ended.abort()
}

const isField = (target: unknown): target is Field =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'file'].includes(target.type))

/** Makes React see the field's value as one that it does not know. */
function forget(field: Field): void {
  const { value, selectionStart, selectionEnd } = field
  const prototype =
    field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  field.value = ''
  Reflect.set(prototype, 'value', value, field)
  // Not every kind of field has a selection.
  if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd)
}
