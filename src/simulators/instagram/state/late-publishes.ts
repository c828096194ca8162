import { randomBytes } from 'node:crypto'
import { newMediaId, type Container, type Instagram } from './state.ts'

export function makeLive(instagram: Instagram, container: Container, at = instagram.clock.now()): string {
  const { fetched } = container
  if (fetched.state !== 'ready') throw new Error(`container ${container.id} has no video`)
  const id = newMediaId()
  instagram.store.transaction(() => {
    instagram.posts.put(id, {
      id,
      shortcode: randomBytes(8).toString('base64url'),
      username: container.username,
      options: container.options,
      sha256: fetched.sha256,
      bytes: fetched.bytes,
      cover_sha256: fetched.cover_sha256 ?? null,
      created_at: at,
    })
    instagram.containers.put(container.id, { ...container, media_id: id })
  })
  return id
}

/** Accepts a publish call whose effect comes `ms` later on the practice clock. Until then the container stays FINISHED. */
export function publishLater(instagram: Instagram, container: Container, ms: number): void {
  const id = newMediaId()
  instagram.latePublishes.put(id, { container_id: container.id, at: instagram.clock.now() + ms })
}

/**
 * Carries out the late publish calls that are due. Each makes its own post, even if the container was published meanwhile:
 * the real behaviour is unknown, and a duplicate is the worst case.
 */
export function settleLatePublishes(instagram: Instagram): void {
  const { latePublishes, containers, clock, store } = instagram
  for (const id of latePublishes.ids()) {
    const late = latePublishes.get(id)
    if (late === undefined || late.at > clock.now()) continue
    store.transaction(() => {
      latePublishes.delete(id)
      const container = containers.get(late.container_id)
      if (container !== undefined) makeLive(instagram, container, late.at)
    })
  }
}
