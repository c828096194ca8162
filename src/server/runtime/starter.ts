import { isAlive } from '#base/system.ts'

const LOOK_MS = 500
const OPTION = '--until-end-of='

/** Given by the launcher, not by people. */
export const isStarterOption = (arg: string): boolean => arg.startsWith(OPTION)

/**
 * Calls `onEnd` when the process named by `--until-end-of=<pid>` has ended. `npm start` turns into this process, so nobody forwards
 * it the death of npm.
 */
export function watchStarter(args: readonly string[], onEnd: () => void): void {
  const given = args.find(isStarterOption)
  if (given === undefined) return
  const pid = Number(given.slice(OPTION.length))
  const timer = setInterval(() => {
    if (isAlive(pid)) return
    clearInterval(timer)
    onEnd()
  }, LOOK_MS)
  timer.unref()
}
