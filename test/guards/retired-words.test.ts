import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Names that gave way to the field's terms, with the term to use. */
const RETIRED: readonly (readonly [pattern: RegExp, use: string])[] = [
  [/\b(?:askForTurn|takeTurn|turn_at|platform_turns)\b/, 'reserveCall, reserved_at, platform_call_slots'],
  [/\b(?:turnKeys|keyTurns|KeyTurn\w*)\b|key-turns|key_turns/, 'rotateKeys, key rotation'],
  [/\bkeepFresh\b|\/fresh\.ts/, 'ttlCache'],
  [/\bplatform_holds\b/, 'cool-down'],
  [/\b(?:Told|tellOld|heed\w*)\b/, 'PlatformReport, notifyStale, record…'],
  [/\b(?:createGate|Gate|GateSize|letThrough)\b|\/gate\.ts/, 'createSemaphore, Semaphore, run'],
  [/\b(?:createBell|Bell)\b|\/bell\.ts/, 'wake signal'],
  [/\b(?:leaveReelay|hasLeave)\b|\/leave\.ts/, 'deleteOwnUser, mayCommit'],
  [/\b(?:mailRound|startMailRound|MailRound)\b|mail-round/, 'mail outbox'],
  [/\b(?:forgetUser|wasForgotten|forgotten_users)\b|\/forget\.ts/, 'eraseUser, wasErased'],
  [/\b(?:createSealer|Sealer|unseal|reseal)\b|\/seal\.ts/, 'encrypt, decrypt, re-encrypt'],
  [/\bothersOf\b|\/others\.ts/, 'sibling deliveries'],
  [/\b(?:doubtAccess|Doubts?)\b|\/doubts\.ts/, 'scheduleAccessCheck'],
  [/\bPLATFORM_LOOKS\b/, 'PLATFORM_BRANDING'],
  [/\w*House\b|hearing-house|own-house/, 'TestServer, startServer'],
  [
    /\b(?:[Cc]rew|[Dd]eeds?|[Oo]nlooker|judge)\b|\/bakery\.ts/,
    'seed data, workers, user actions, observer, checker',
  ],
  [/\bwhereabouts\b/, 'plain words'],
  [/\bshareOf\b/, 'maxSlotsOfUser'],
  [/\bstore\.together\b/, 'store.transaction'],
  [
    /\b(?:lookAt(?:Post|Account)|schedule(?:Post|Account)Look|takeLook|gatherInMail|isTold\w+)\b/,
    'notifyAbout…, enqueue…Check, consumeCheck, addToDigest',
  ],
]

/** Where a retired word stands for a reason. */
const EXCEPTIONS: readonly RegExp[] = [
  /^migrations\//, // applied ones never change, and a rename names the old word
  /^CHANGELOG\.md$/, // of versions that are out
  /^docs\/decisions\//, // decisions are records of their day
  /^test\/guards\/retired-words\.test\.ts$/,
  /^docs\/spec\.md$/, // quotes the specification
]

const TEXT = /\.(?:tsx?|mjs|js|sql|md|json|css|html)$/
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => TEXT.test(file) && file !== 'package-lock.json')
  .filter((file) => !EXCEPTIONS.some((exception) => exception.test(file)))

/** A line for each place of a retired word, with the term to use. */
const retiredIn = (file: string, text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      RETIRED.filter(([pattern]) => pattern.test(line)).map(
        ([pattern, use]) => `${file}:${index + 1} ${pattern.exec(line)?.[0]}: use ${use}`,
      ),
    )

it('no retired word is used', () => {
  const found = files.flatMap((file) => [
    ...retiredIn(file, `/${file}`),
    ...retiredIn(file, readFileSync(path.join(root, file), 'utf8')),
  ])
  expect(found).toEqual([])
})

it('the guard names the line and the term to use', () => {
  expect(retiredIn('src/a.ts', 'const a = 1\nconst gate = createGate(2)')).toEqual([
    'src/a.ts:2 createGate: use createSemaphore, Semaphore, run',
  ])
})
