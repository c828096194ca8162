/** What one way of sending took. */
export type Sent = { readonly seconds: number; readonly cpuS: number; readonly peakMb: number }

/** As TikTok wants larger videos cut. */
export const PART_BYTES = 10_000_000

/** Sends once, and tells the parent what it took. */
export async function tellCost(send: () => Promise<void>): Promise<void> {
  const before = process.cpuUsage()
  const began = performance.now()
  await send()
  const { user, system } = process.cpuUsage(before)
  const sent: Sent = {
    seconds: (performance.now() - began) / 1000,
    cpuS: (user + system) / 1e6,
    peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  }
  process.send?.(sent, () => process.exit())
}
