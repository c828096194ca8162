// `npm run doctor [-- --mail MAIL]`, beside a running server or without one. Ends with 1 if something does not work.
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import type { ServerCheck } from '#contract/operator.ts'
import { StartError } from '#base/start-error.ts'
import { migratePastPooler } from './db/migrate.ts'
import { withServerDatabase } from './db/with-server-database.ts'
import { openDeps } from './deps.ts'
import { runDoctor } from './doctor/doctor.ts'
import { sendTestMail } from './doctor/test-mail.ts'
import { createHealth } from './health/health.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig } from './runtime/config.ts'

const USAGE = `Usage: npm run doctor                   checks this server and says what needs a hand
       npm run doctor -- --mail MAIL    also sends a test mail to this address`

const SIGNS = { ok: 'ok     ', note: 'note   ', warning: 'WARNING', error: 'ERROR  ' } as const

await runCommand(async () => {
  const { mail } = readArguments()
  const config = readConfig(process.env)
  await withServerDatabase(config, say, async (url) => {
    await migratePastPooler(url, config.databaseDirectUrl)
    const log = pino({ level: 'silent' })
    const deps = await openDeps(config, url, log)
    try {
      const checks = await runDoctor({ ...deps, health: createHealth(deps) })
      for (const check of checks.toReversed()) print(check)
      if (mail !== undefined) await tellTestMail(deps, mail)
      if (checks.some(({ severity }) => severity === 'error')) process.exitCode = 1
    } finally {
      await deps.close()
    }
  })
})

function print({ severity, title, sentence, remedy, link, owner }: ServerCheck): void {
  say(`${SIGNS[severity]}  ${title}: ${sentence}`)
  if (severity === 'ok') return
  if (remedy !== null) say(`         ${owner === 'user' ? 'Its user: ' : ''}${remedy}`)
  if (link !== null) say(`         See ${link}`)
}

async function tellTestMail(deps: Parameters<typeof sendTestMail>[0], to: string): Promise<void> {
  const { result, message } = await sendTestMail(deps, to)
  say(`${result === 'failed' ? SIGNS.error : SIGNS.ok}  Test mail: ${message}`)
  if (result === 'failed') process.exitCode = 1
}

function readArguments(): { mail?: string | undefined } {
  try {
    return parseArgs({ options: { mail: { type: 'string' } } }).values
  } catch {
    throw new StartError(USAGE)
  }
}
