import type { FailureCourse, KnownFailure } from '#contract/help.ts'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { REASONS, REPEATED } from '#domain/delivery/reasons.ts'
import { step } from '#domain/delivery/step.ts'
import { preparing } from '#domain/delivery/transition.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { FINDINGS } from '#domain/video-check/post-check.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import type { FailureCase } from '#platforms/kit/failure-rule.ts'
import { UNLINKED } from '../accounts/access-failures.ts'
import { PLATFORM_OFF } from '../deliveries/account-access.ts'

/** Lists every known failure, one entry per text. `step` decides its course; failures while linking count as a post's. */
export function knownFailures(): KnownFailure[] {
  const entries = new Map<string, KnownFailure>()
  for (const { platform, code, ...line } of listLines()) {
    const key = `${line.message} ${line.remedy}`
    const entry = entries.get(key) ?? { ...line, codes: [] }
    entries.set(key, { ...entry, codes: withCode(entry.codes, platform, code) })
  }
  return [...entries.values()]
}

/** Our own reasons that mean a failure; with the others the outcome is open. */
const HAS_FAILED: ReadonlySet<string> = new Set([
  REASONS.accountErased.code,
  REASONS.neverReady.code,
  REASONS.openingLost.code,
])

const WAS_MISSED: ReadonlySet<string> = new Set([
  REASONS.missed.code,
  REASONS.missedAfterLimit.code,
  REASONS.missedWhilePaused.code,
])

const HELD_AFTER_RESTORE: ReadonlySet<string> = new Set([REASONS.restored.code, REASONS.restoredPlanned.code])

function findOwnCourse(code: string): FailureCourse {
  if (HELD_AFTER_RESTORE.has(code)) return 'restored'
  if (WAS_MISSED.has(code)) return 'missed'
  return HAS_FAILED.has(code) ? 'needs_you' : 'is_asked'
}

type Line = Omit<KnownFailure, 'codes'> & { readonly platform: PlatformId; readonly code: string }

const listLines = (): Line[] =>
  PLATFORM_IDS.flatMap((platform) => [
    ...Object.entries(FINDINGS).map(([code, { level, message, remedy }]) => ({
      platform,
      code,
      message,
      remedy,
      ...settled(level === 'error' ? 'not_taken' : 'warned'),
    })),
    ...PLATFORM_FACTS[platform].failures.map((known) => toLine(platform, known.failure, findCourse(known))),
    ...[UNLINKED, PLATFORM_OFF].map((failure) => toLine(platform, failure, courseWhilePublishing(failure))),
    ...Object.values(REASONS).map(({ code, message, remedy }) => ({
      platform,
      code,
      message,
      remedy,
      ...settled(findOwnCourse(code)),
    })),
  ])

const toLine = (platform: PlatformId, { reason }: Failure, course: Course): Line => ({
  platform,
  code: reason.code,
  message: reason.message,
  // An endless retry never fails, so its remedy does not apply.
  remedy: course.course === 'tries_again' && !course.gives_up ? REPEATED : reason.remedy,
  ...course,
})

function withCode(codes: KnownFailure['codes'], platform: PlatformId, code: string): KnownFailure['codes'] {
  const had = codes.find((of) => of.platform === platform)?.codes ?? []
  const has = code === '' || had.includes(code) ? had : [...had, code]
  return [...codes.filter((of) => of.platform !== platform), { platform, codes: has }]
}

type Course = Pick<KnownFailure, 'course' | 'waits_s' | 'gives_up'>

const settled = (course: FailureCourse): Course => ({ course, waits_s: [], gives_up: false })

const findCourse = ({ when, failure }: FailureCase): Course =>
  when === 'linking' ? settled('not_linked') : courseWhilePublishing(failure)

/** More retries than any table of waits has, so it never gives up. */
const ENDLESS = 30

/** The course if a post fails like this every time before the irreversible call. */
function courseWhilePublishing(failure: Failure): Course {
  const waitsS: number[] = []
  let state = UNDER_WAY
  while (waitsS.length < ENDLESS) {
    const moved = step(state, { type: 'setback', failure, session: {} }, 0)
    if ('refused' in moved) throw new Error(moved.refused)
    const { to, wakeAt } = moved
    if (to.kind === 'failed') {
      return waitsS.length === 0
        ? settled('needs_you')
        : { course: 'tries_again', waits_s: waitsS, gives_up: true }
    }
    if (to.kind === 'blocked' && to.cause === 'account') {
      return settled(failure.kind === 'account' && failure.expired ? 'renewed' : 'needs_link')
    }
    const waitS = Math.ceil((wakeAt ?? 0) / 1000)
    if (to.kind === 'blocked') return { course: 'waits', waits_s: [waitS], gives_up: false }
    waitsS.push(waitS)
    state = to.kind === 'preparing' ? to : { ...UNDER_WAY, repeats: to.repeats }
  }
  return { course: 'tries_again', waits_s: waitsS.slice(0, 1), gives_up: false }
}

const UNDER_WAY = preparing({ attempt: 1, repeats: 0 }, { session: {} })
