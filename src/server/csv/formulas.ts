/**
 * Where a spreadsheet would take text for a formula: at the beginning of a cell, also after white space and in the wide forms of East
 * Asian keyboards. Where semicolons separate cells, a spreadsheet takes our quotes for text, and begins a cell after each semicolon and
 * line break, of which quotes may be the beginning. Apostrophes that are there already count, so that `readText` finds the text again.
 */
const AT_BEGINNING = /^(?='*(?:[\t\r\n]|\s*[=+\-@＝＋－＠]))/
const WITHIN = /([;\t\r\n])(?='*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g

/** Puts an apostrophe before whatever a spreadsheet would calculate; it shows the text then. */
export const withoutFormulas = (text: string): string =>
  text.replace(AT_BEGINNING, "'").replaceAll(WITHIN, "$1'")

const MARKED_BEGINNING = new RegExp(AT_BEGINNING.source.replace('^', "^'"))
const MARKED_WITHIN = new RegExp(WITHIN.source.replace(')(?=', ")'(?="), 'g')

/** The text that `withoutFormulas` was given. */
export const readText = (cell: string): string =>
  cell.replace(MARKED_BEGINNING, '').replaceAll(MARKED_WITHIN, '$1')
