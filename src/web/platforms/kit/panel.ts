import type { ReactNode } from 'react'
import type { z } from 'zod'
import type { Account } from '#contract/accounts.ts'
import type { FormFile } from '#contract/http/endpoint.ts'
import type { AccountOptions, PlatformId } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import type { Picture, VideoFacts } from '#contract/videos.ts'
import type { UploadControls } from './send-form.ts'

/** Messages by the API's field names; null: the field is valid. */
export type FieldErrors = Readonly<Record<string, string | null>>

export type PanelContext = {
  /** null: not known yet, or no account is chosen. */
  readonly options: AccountOptions | null
  readonly account: Account | null
  /** TikTok's audit: nothing may be preselected. */
  readonly auditForm: boolean
  /** Null: no video is chosen, or it could not be read. */
  readonly video: VideoFacts | null
  /** The caption that goes out. */
  readonly text: string
}

export type PanelProps<Value> = {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly context: PanelContext
}

/** The request's part of a valid value, or the errors. */
export type Validation<Info> =
  | { readonly ok: true; readonly info: Info }
  | { readonly ok: false; readonly errors: FieldErrors }

export type PictureSize = Pick<Picture, 'width' | 'height'>

export type PictureShown = {
  /** The platform's own word for it. */
  readonly noun: 'cover' | 'thumbnail'
  /** What the platform does to a picture of another shape than its own; null: nothing. */
  readonly fit: (picture: PictureSize) => string | null
}

/** But for a pixel or two. */
export const hasShape = ({ width, height }: PictureSize, ratio: number): boolean =>
  Math.abs(width / height / ratio - 1) < 0.02

/** One platform's options: without video, text and account. Holds no state, shows no fields and sends nothing. */
export type OptionsPanel<Value, Options> = {
  readonly platform: PlatformId
  /** The default value. */
  readonly empty: Value
  /** Validates a value that was stored in a draft. */
  readonly schema: z.ZodType<Value>
  /** True if validation needs the account's options. */
  readonly needsOptions: boolean
  readonly validate: (value: Value, context: PanelContext) => Validation<Options>
  /** The API's fields at which its fields show a message. */
  readonly fields: readonly string[]
  /** Says how to post without these optional fields. */
  readonly withoutFields: Readonly<
    Record<string, { readonly label: string; readonly apply: (value: Value) => Value }>
  >
  /** The value in a few words: "Public, comments on". */
  readonly summary: (value: Value, context: PanelContext) => string
  /** The value that makes these options of an earlier post, without those that its text proposes; unreadable ones make the default. */
  readonly fromOptions: (options: unknown) => Value
  /** The cover's moment, in ms; 0: the platform's default. */
  readonly coverMs: (value: Value) => number
  readonly withCover: (value: Value, coverMs: number) => Value
  /** True if the post goes to the inbox of the account's owner as a draft, without a caption. */
  readonly toInbox?: (value: Value) => boolean
  /** Says which choice the account does not offer now; null: it offers all. Absent: accounts do not differ. */
  readonly unoffered?: (value: Value, context: PanelContext) => string | null
  /** The own picture as cover; absent: the platform takes none. */
  readonly picture?: {
    readonly of: (value: Value) => number | null
    readonly with: (value: Value, pictureId: number | null) => Value
  } & PictureShown
  /** The words that the app shows over the video; absent: the caption. */
  readonly shownText?: (value: Value, context: PanelContext) => string
  /** Absent: all accounts may choose the same. */
  readonly mergeOptions?: (all: readonly AccountOptions[]) => AccountOptions | null
  /** True if something in it belongs to one client: people, a comment, a picture. */
  readonly isPersonal?: (value: Value) => boolean
  /** The platform demands these beside the button that publishes. */
  readonly Terms?: (props: { readonly values: readonly Value[] }) => ReactNode
}

/** The fields of a platform's own form besides video and account: its text and its options. */
export type Panel<Value, Info> = Pick<
  OptionsPanel<Value, Info>,
  'platform' | 'empty' | 'schema' | 'needsOptions' | 'validate' | 'coverMs'
> & {
  readonly Fields: (props: PanelProps<Value>) => ReactNode
  /** The field that holds the text of the post. */
  readonly textField: string
  /** Must be shown beside the button that publishes. */
  readonly Terms?: () => ReactNode
}

export type SingleForm<Value, Info> = {
  readonly panel: Panel<Value, Info>
  /** The file's part of the request, with its limit and error texts. */
  readonly file: FormFile
  readonly fileHelp: string
  /** True: the button is disabled without a file, instead of showing what is missing. */
  readonly waitsForFile: boolean
  /** As the specification has them. */
  readonly texts: { readonly success: string; readonly failure: (error: Error) => string }
  readonly post: (
    request: UploadControls & { file: File; info: Info; accountId: number; idempotencyKey: string },
  ) => Promise<Post>
}
