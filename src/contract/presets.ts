import { z } from 'zod'
import { AcceptedOptions, Options } from './drafts.ts'
import { endpoint, noContent } from './http/endpoint.ts'
import { AccountId, BrandId, PresetId } from './ids.ts'
import {
  POST_TARGETS_MAX,
  POST_TEXT_MAX_CHARS,
  PRESET_NAME_MAX_CHARS,
  PRESET_OPTIONS_MAX_CHARS,
  PRESETS_MAX,
} from './limits.ts'
import { OPTIONS_OF_ONE_VIDEO, PLATFORM_NAMES, PlatformId } from './platforms/index.ts'

/** No quotation marks, because a file of posts writes a name with spaces between them. */
export const PresetName = z
  .string()
  .trim()
  .min(1, 'Give it a name.')
  .max(PRESET_NAME_MAX_CHARS, `Use at most ${PRESET_NAME_MAX_CHARS} characters.`)
  .regex(/^[^\p{Cc}"“”„]*$/u, 'A name has no quotation marks and no line breaks.')

const AccountsContent = z.strictObject({
  account_ids: z
    .array(AccountId)
    .min(1, 'Choose at least one account.')
    .max(POST_TARGETS_MAX, `Choose at most ${POST_TARGETS_MAX} accounts.`)
    .refine((ids) => new Set(ids).size === ids.length, 'Name each account once.'),
})

const TextContent = z.strictObject({
  text: z
    .string()
    .max(POST_TEXT_MAX_CHARS, `Use at most ${POST_TEXT_MAX_CHARS} characters.`)
    .regex(/\S/, 'Enter a text.')
    .describe(
      'In the composer, `{account}` and `{brand}` become the names of an account and its brand when the text is inserted. The API itself replaces nothing.',
    ),
})

const OptionsContent = z.strictObject({
  platform: PlatformId,
  options: Options,
})

const AcceptedOptionsContent = OptionsContent.extend({
  options: AcceptedOptions.refine(
    (options) => JSON.stringify(options).length <= PRESET_OPTIONS_MAX_CHARS,
    `The options of a preset have at most ${PRESET_OPTIONS_MAX_CHARS} characters as JSON.`,
  ).describe(
    'Options as drafts keep them, without those that belong to one video: title, cover, thumbnail and first comment.',
  ),
}).superRefine(({ platform, options }, context) => {
  for (const name of Object.keys(options))
    if (name === 'posted' || OPTIONS_OF_ONE_VIDEO[platform].includes(name))
      context.addIssue({
        code: 'custom',
        path: ['options', name],
        message: `A preset for ${PLATFORM_NAMES[platform]} does not keep this option: it belongs to one video.`,
      })
})

const BrandOfText = BrandId.nullable().describe('The brand that the text is for. null for all brands.')

const Stored = {
  preset_id: PresetId,
  name: z.string(),
  version: z.int().describe('Starts at 1 and grows by one with each change.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}

/** What a user reuses in many posts, under a name. It changes nothing by itself. */
export const Preset = z.discriminatedUnion('kind', [
  z.object({
    ...Stored,
    kind: z.literal('accounts'),
    content: AccountsContent,
    gone: z
      .array(z.object({ account_id: AccountId, platform: PlatformId, name: z.string() }))
      .describe('The accounts of the set that are no longer linked.'),
  }),
  z.object({ ...Stored, kind: z.literal('text'), brand_id: BrandId.nullable(), content: TextContent }),
  z.object({ ...Stored, kind: z.literal('options'), content: OptionsContent }),
])
export type Preset = z.infer<typeof Preset>

export const NewPreset = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('accounts'), name: PresetName, content: AccountsContent }),
  z.strictObject({
    kind: z.literal('text'),
    name: PresetName,
    brand_id: BrandOfText.default(null),
    content: TextContent,
  }),
  z.strictObject({ kind: z.literal('options'), name: PresetName, content: AcceptedOptionsContent }),
])
export type NewPreset = z.infer<typeof NewPreset>

const changed = { version: z.int().positive(), name: PresetName.optional() }

/** `version` is the one that was changed. What is left out stays. */
export const PresetChange = z.discriminatedUnion('kind', [
  z.strictObject({ ...changed, kind: z.literal('accounts'), content: AccountsContent.optional() }),
  z.strictObject({
    ...changed,
    kind: z.literal('text'),
    brand_id: BrandOfText.optional(),
    content: TextContent.optional(),
  }),
  z.strictObject({ ...changed, kind: z.literal('options'), content: AcceptedOptionsContent.optional() }),
])
export type PresetChange = z.infer<typeof PresetChange>

const byPreset = z.object({ presetId: PresetId })

export const presetEndpoints = {
  listPresets: endpoint({
    method: 'GET',
    path: '/presets',
    tag: 'Presets',
    summary:
      'List the presets by name: sets of accounts, saved texts, and options of a platform. They are reused in the composer, sets also in files of posts',
    auth: 'read',
    status: 200,
    reply: z.array(Preset),
    problems: [],
  }),
  createPreset: endpoint({
    method: 'POST',
    path: '/presets',
    tag: 'Presets',
    summary: `Save a preset. A user has up to ${PRESETS_MAX}; names are unique among those of a kind, whatever their case. Saving the same again returns the one that is there`,
    auth: 'write',
    body: NewPreset,
    status: 201,
    reply: Preset,
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  changePreset: endpoint({
    method: 'PATCH',
    path: '/presets/:presetId',
    tag: 'Presets',
    summary:
      'Rename a preset, or give it another content. If another version is stored, the call gets 409 `conflict`. Making the same change again always succeeds',
    auth: 'write',
    params: byPreset,
    body: PresetChange,
    status: 200,
    reply: Preset,
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  deletePreset: endpoint({
    method: 'DELETE',
    path: '/presets/:presetId',
    tag: 'Presets',
    summary: 'Delete a preset. Posts and drafts that were made with it stay as they are',
    auth: 'write',
    params: byPreset,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
} as const
