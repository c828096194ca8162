import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'

/** `value` adds up `counted` of `of` numbers: the others are not known. */
export type Sum = { readonly value: number; readonly counted: number; readonly of: number }

export function sumKnown(numbers: readonly (number | null)[]): Sum {
  const known = numbers.filter((number) => number !== null)
  return { value: known.reduce((sum, one) => sum + one, 0), counted: known.length, of: numbers.length }
}

/** A sum for each platform that has posts: platforms count in different ways, so theirs are not added up. */
export const sumByPlatform = (
  posts: readonly { readonly platform: PlatformId; readonly value: number | null }[],
): ({ readonly platform: PlatformId } & Sum)[] =>
  PLATFORM_IDS.flatMap((platform) => {
    const own = posts.filter((post) => post.platform === platform)
    return own.length === 0 ? [] : [{ platform, ...sumKnown(own.map(({ value }) => value)) }]
  })
