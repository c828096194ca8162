/** Saves it as a download of the browser. */
export function saveFile(file: Blob, filename: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  URL.revokeObjectURL(url)
}

/** Saves the text of a CSV file. The byte order mark, by which spreadsheets know UTF-8, is lost while the browser decodes an answer. */
export const saveCsv = (csv: string, filename: string): void =>
  saveFile(new Blob(['\ufeff', csv.replace(/^\ufeff/, '')], { type: 'text/csv' }), filename)
