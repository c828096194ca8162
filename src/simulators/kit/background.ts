import { CannotWrite } from './store.ts'

const RETRY_MS = 1000

/** Does work that no call waits for. Where it cannot be written down, as on a full disk, it is done again until it can. */
export function inBackground(work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    if (!(error instanceof CannotWrite)) throw error
    setTimeout(() => inBackground(work), RETRY_MS).unref()
  })
}
