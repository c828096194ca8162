// `npm run operator -- grant|revoke|reset-password MAIL`, beside a running server or without one.
import { pino } from 'pino'
import { StartError } from '#base/start-error.ts'
import { migratePastPooler } from './db/migrate.ts'
import { withServerDatabase } from './db/with-server-database.ts'
import { openDeps } from './deps.ts'
import { grantOperator, makeResetLink, type OperatorDeps, revokeOperator } from './operator/operators.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig } from './runtime/config.ts'

const USAGE = `Usage: npm run operator -- grant MAIL            the user with this address operates the server, too
       npm run operator -- revoke MAIL           the user no longer does
       npm run operator -- reset-password MAIL   prints an address at which the user sets a new password`

const COMMANDS: Readonly<Record<string, (deps: OperatorDeps, mail: string) => Promise<void>>> = {
  async grant(deps, mail) {
    await grantOperator(deps, mail)
    say(`${mail} operates this server.`)
  },
  async revoke(deps, mail) {
    await revokeOperator(deps, mail)
    say(`${mail} does not operate this server.`)
  },
  async 'reset-password'(deps, mail) {
    const link = await makeResetLink(deps, mail)
    say(`Whoever opens this address can set the password of ${mail}, once and within an hour:`)
    say(link)
  },
}

await runCommand(async () => {
  const [command = '', mail, ...rest] = process.argv.slice(2)
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  if (!run || mail === undefined || rest.length > 0) throw new StartError(USAGE)
  const config = readConfig(process.env)
  await withServerDatabase(config, say, async (url) => {
    await migratePastPooler(url, config.databaseDirectUrl)
    const deps = await openDeps(config, url, pino({ level: 'silent' }))
    try {
      await run({ ...deps, users: deps.identity.users }, mail)
    } finally {
      await deps.close()
    }
  })
})
