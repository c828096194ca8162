/** The languages that we have texts in. Another one is answered in the first. */
const LANGUAGES = ['en', 'de', 'fr', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * The language of ours that somebody likes best.
 * @param wanted one language tag, as the SDK sends it, or a list with weights, as browsers do in `Accept-Language`.
 */
export function languageOf(wanted: string | null | undefined): Language {
  const asked = (wanted ?? '')
    .slice(0, 512)
    .split(',')
    .map((part) => {
      const [tag = '', ...rest] = part.split(';')
      const weight = rest.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
      return { language: tag.trim().toLowerCase().split(/[-_]/)[0], weight: Number(weight ?? 1) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  for (const { language } of asked) {
    const ours = LANGUAGES.find((each) => each === language)
    if (ours) return ours
  }
  return 'en'
}
