/**
 * Spreadsheets read these as formulas: at the start of a cell, also after white space and in wide East Asian forms. With
 * semicolons as separators, a cell also begins after each semicolon and line break within our quotes. Existing apostrophes
 * count, so that `readText` restores the text.
 */
const AT_BEGINNING = /^(?='*(?:[\t\r\n]|\s*[=+\-@＝＋－＠]))/
const WITHIN = /([;\t\r\n])(?='*(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g

/** Puts an apostrophe before everything that a spreadsheet would calculate, so that it shows the text. */
export const withoutFormulas = (text: string): string =>
  text.replace(AT_BEGINNING, "'").replaceAll(WITHIN, "$1'")

const MARKED_BEGINNING = new RegExp(AT_BEGINNING.source.replace('^', "^'"))
const MARKED_WITHIN = new RegExp(WITHIN.source.replace(')(?=', ")'(?="), 'g')

/** Restores the argument of `withoutFormulas`. */
export const readText = (cell: string): string =>
  cell.replace(MARKED_BEGINNING, '').replaceAll(MARKED_WITHIN, '$1')
