type Form = { getInputNode: (field: string) => HTMLElement | null }

/** What a form does when its own checks refuse it: the focus goes to the first field that they name. */
export const focusFirst =
  (form: Form) =>
  (errors: Readonly<Record<string, unknown>>): void => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
