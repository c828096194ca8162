import { Severity, type ServerCheck } from '#contract/operator.ts'
import type { CheckRow, DoctorDeps } from './check.ts'
import { CHECKS } from './checks.ts'

/** A check that takes longer is told as one that could not be made. */
const CHECK_MS = 15_000

/** Makes all checks at once. What needs a hand comes first. Never rejects. */
export async function runDoctor(deps: DoctorDeps): Promise<ServerCheck[]> {
  const found = await Promise.all(CHECKS.map((check) => make(check, deps)))
  const order = Severity.options
  return found.flat().toSorted((a, b) => order.indexOf(b.severity) - order.indexOf(a.severity))
}

async function make({ id, title, owner, link, run }: CheckRow, deps: DoctorDeps): Promise<ServerCheck[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), CHECK_MS)
  try {
    const found = await Promise.race([run(deps), late.promise])
    return found.map((one) => ({ id, title, owner, link, ...one }))
  } catch (error) {
    deps.log.warn({ err: error, check: id }, 'a check of the doctor could not be made')
    return [
      {
        id,
        title,
        owner,
        link,
        severity: 'warning',
        sentence: 'This could not be checked.',
        remedy: "The server's log says why.",
      },
    ]
  } finally {
    clearTimeout(timer)
  }
}
