import { StartError } from '#base/start-error.ts'
import type { Statement } from '../restore/restore-guard.ts'

export type Flags = {
  /** This process posts nothing. */
  readonly hold: boolean
  /** The operator's statement about the data. */
  readonly says: Statement | null
}

const NAMES = ['hold', 'moved', 'restored'] as const

/**
 * @param env npm consumes options before `--` and sets variables instead; they count too, or a start that must not post
 * would post. @throws StartError for an unknown option, or for two that contradict each other
 */
export function readFlags(
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
): Flags {
  const unknown = args.find((arg) => !NAMES.some((name) => arg === `--${name}`))
  if (unknown !== undefined)
    throw new StartError(`Unknown option ${unknown}: "npm start --" takes --hold, --moved or --restored.`)
  const has = (name: (typeof NAMES)[number]) =>
    args.includes(`--${name}`) || env[`npm_config_${name}`] === 'true'
  if (has('moved') && has('restored'))
    throw new StartError(
      '--moved says that the data are the latest, and --restored that they may not be: give one of them.',
    )
  return { hold: has('hold'), says: has('moved') ? 'moved' : has('restored') ? 'restored' : null }
}
