/** The name of an uploaded file as it is shown; never used as a path. */
export function displayFilename(sent: string | null | undefined): string {
  const base = (sent ?? '').split(/[/\\]/).at(-1) ?? ''
  // Control characters, and those that change the text direction.
  const clean = base.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '').trim()
  return clean.slice(0, 255) || 'video'
}
