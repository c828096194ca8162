import type { ReactNode } from 'react'
import type { z } from 'zod'
import type { FormFile } from '#contract/endpoint.ts'
import type { AccountOptions, PlatformId } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import type { VideoFacts } from '#contract/videos.ts'
import type { Following } from './carry.ts'
import type { Words } from './sending.ts'

/** Messages by field, as the API names the fields; null: nothing is wrong there. */
export type FieldErrors = Readonly<Record<string, string | null>>

/** What a panel is told beside what was typed. */
export type PanelContext = {
  /** What the platform lets the account choose; null: not known yet, or there is no account yet. */
  readonly options: AccountOptions | null
  /** Nothing may be chosen for the user. */
  readonly auditForm: boolean
  /** What the chosen video is; null: none is chosen, or it could not be read. */
  readonly video: VideoFacts | null
}

export type PanelProps<Value> = {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly context: PanelContext
}

/** The `post_info` that a value makes, or what it still lacks. */
export type Judged<Info> =
  | { readonly ok: true; readonly info: Info }
  | { readonly ok: false; readonly errors: FieldErrors }

/**
 * What one platform asks beside the video and the account: its fields, rules, defaults and texts. It holds no state and
 * sends nothing, so that one panel serves the platform's own form and any other that posts there.
 */
export type Panel<Value, Info> = {
  readonly platform: PlatformId
  /** The defaults. */
  readonly empty: Value
  /** Reads back what the browser kept. */
  readonly schema: z.ZodType<Value>
  /** Whether the account's own options must be known before it can be judged. */
  readonly needsOptions: boolean
  readonly judge: (value: Value, context: PanelContext) => Judged<Info>
  readonly Fields: (props: PanelProps<Value>) => ReactNode
  /** The field that holds the text of the post. */
  readonly textField: string
  /** The moment that becomes the cover, in ms; 0: the platform's default. */
  readonly coverMs: (value: Value) => number
  /** What must stand beside the button that posts. */
  readonly Terms?: () => ReactNode
}

/** How the platform's own form sends one video to one account. */
export type SingleForm<Value, Info> = {
  readonly panel: Panel<Value, Info>
  /** The file's part of the request, with its limit and what is said of it. */
  readonly file: FormFile
  readonly fileHelp: string
  /** Whether the button waits for a file, or says what is missing when it is pressed. */
  readonly waitsForFile: boolean
  readonly words: Words
  readonly post: (
    it: Following & { file: File; info: Info; accountId: number; idempotencyKey: string },
  ) => Promise<Post>
}
