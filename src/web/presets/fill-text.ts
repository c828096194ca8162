/** What `{account}` and `{brand}` become in a saved text. */
export type Names = { readonly account: string; readonly brand: string }

const NAMES = /\{(account|brand)\}/g

export const hasNames = (text: string): boolean => text.search(NAMES) !== -1

export const fillText = (text: string, names: Names): string =>
  text.replaceAll(NAMES, (_placeholder, what: keyof Names) => names[what])

/** The part of a saved text's name before the caret, after a `/` that begins a word; null: none is being typed. */
export const slashAt = (text: string, caret: number): string | null =>
  /(?:^|\s)\/([^\s/]{0,60})$/u.exec(text.slice(0, caret))?.[1] ?? null
