import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import { connectionTooSlow } from '#domain/delivery/reasons.ts'
import { outlastsAddress } from '#domain/rate-limit/upload-lanes.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { BandwidthMeter } from './bandwidth.ts'

type Platforms = Readonly<Record<PlatformId, Platform | null>>

/** `lifeS`: how long the shortest-lived upload address lives. */
export type UploadFacts = {
  readonly push: readonly PlatformId[]
  readonly pull: readonly PlatformId[]
  readonly lifeS: number
  readonly expired: readonly string[]
}

/** A platform that is not configured has nothing to send: its deliveries only learn that it is off. */
export function uploadFacts(platforms: Platforms): UploadFacts {
  const uploads = PLATFORM_IDS.flatMap((id) => platforms[id]?.capabilities.upload ?? [])
  const isPush = (id: PlatformId) => platforms[id]?.capabilities.delivery === 'push'
  return {
    push: PLATFORM_IDS.filter(isPush),
    pull: PLATFORM_IDS.filter((id) => !isPush(id)),
    lifeS: Math.min(...uploads.map(({ lifeS }) => lifeS)),
    expired: uploads.flatMap(({ expired }) => expired),
  }
}

/** An upload that ran out of time on a connection too slow for it fails for good: the next try would end the same. */
export function explainSlowUpload(
  event: DeliveryEvent,
  it: { readonly bytes: number; readonly facts: UploadFacts; readonly bandwidth: BandwidthMeter },
): DeliveryEvent {
  if (event.type !== 'setback' && event.type !== 'refused') return event
  if (event.session !== null || !it.facts.expired.includes(event.failure.reason.code)) return event
  const bytesPerS = it.bandwidth.bytesPerS()
  if (!it.bandwidth.isMeasured() || !outlastsAddress(it.bytes, { bytesPerS, lifeS: it.facts.lifeS }))
    return event
  return {
    ...event,
    failure: { kind: 'rejected', reason: connectionTooSlow(it.bytes, bytesPerS, it.facts.lifeS) },
  }
}
