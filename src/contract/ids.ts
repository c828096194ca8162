import { z } from 'zod'

/** Ids are positive integers on the wire; the brand keeps a brand's id from being taken for an account's. */
const id = <B extends string>(_brand: B) =>
  z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).brand<B>()

export const UserId = id('UserId')
export type UserId = z.infer<typeof UserId>
export const BrandId = id('BrandId')
export type BrandId = z.infer<typeof BrandId>
export const AccountId = id('AccountId')
export type AccountId = z.infer<typeof AccountId>
export const VideoId = id('VideoId')
export type VideoId = z.infer<typeof VideoId>
/** Unguessable, because it is the address that an upload is sent to. */
export const UploadId = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'The id of an upload is 32 hexadecimal digits.')
  .brand<'UploadId'>()
export type UploadId = z.infer<typeof UploadId>
export const PictureId = id('PictureId')
export type PictureId = z.infer<typeof PictureId>
export const ScheduleId = id('ScheduleId')
export type ScheduleId = z.infer<typeof ScheduleId>
export const PresetId = id('PresetId')
export type PresetId = z.infer<typeof PresetId>
export const ApiKeyId = id('ApiKeyId')
export type ApiKeyId = z.infer<typeof ApiKeyId>
export const PostId = id('PostId')
export type PostId = z.infer<typeof PostId>
export const DeliveryId = id('DeliveryId')
export type DeliveryId = z.infer<typeof DeliveryId>
/** Chosen by the client, so that a lost answer makes no second draft. */
export const DraftId = z.uuid().toLowerCase()
export type DraftId = z.infer<typeof DraftId>
export const NotificationId = id('NotificationId')
export type NotificationId = z.infer<typeof NotificationId>
export const WebhookId = id('WebhookId')
export type WebhookId = z.infer<typeof WebhookId>
export const WebhookMessageId = id('WebhookMessageId')
export type WebhookMessageId = z.infer<typeof WebhookMessageId>
