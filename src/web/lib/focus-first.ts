type Form = { getInputNode: (field: string) => HTMLElement | null }

/** Focuses the first invalid field of a form. */
export const focusFirst =
  (form: Form) =>
  (errors: Readonly<Record<string, unknown>>): void => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
