const BUFFER_BYTES = 16 * 2 ** 20
const READS = 500
/** Less than 0.5 ms where memory is at hand; 15 ms where it is not, and 2 ms or more while it comes back. */
const SLOW_MS = 1
const EVERY_MS = 15

/**
 * Watches the machine, not what runs on it. A hypervisor that takes a guest's pages away and gives each back at its
 * first use makes all processes a hundred times slower for about 80 ms, and the guest sees neither a wait nor stolen
 * time. So reads of memory are timed, by processor time: waiting for a processor does not count.
 */
export function watchMemory(): { wasSlowSince(at: number): boolean; stop(): void } {
  // Each place holds what is added for the next one, so that no read can begin before the last one ended.
  const buffer = new Uint32Array(BUFFER_BYTES / Uint32Array.BYTES_PER_ELEMENT).fill(1_013_904_223)
  let lastSlowAt = -Infinity
  const probe = setInterval(() => {
    const before = process.threadCpuUsage()
    let at = Math.trunc(Math.random() * buffer.length)
    for (let i = 0; i < READS; i++) at = (Math.imul(at, 1_664_525) + (buffer[at] ?? 0)) & (buffer.length - 1)
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1000 > SLOW_MS) lastSlowAt = performance.now()
  }, EVERY_MS)
  return {
    /** @param at of `performance.now()` */
    wasSlowSince: (at) => lastSlowAt >= at,
    stop: () => clearInterval(probe),
  }
}
