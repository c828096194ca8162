import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { z } from 'zod'
import type { DraftContent } from '#contract/drafts.ts'
import { NewPreset, PresetChange, type Preset } from '#contract/presets.ts'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, answerSaves, AT, box, open } from '#web/testing/composer.ts'
import { button } from '#web/testing/render-app.tsx'

type Stored = z.input<typeof Preset>
type StoredSet = Extract<Stored, { kind: 'accounts' }>

const setOf = (name: string, account_ids: number[], its: Partial<StoredSet> = {}): StoredSet => ({
  preset_id: 7,
  kind: 'accounts',
  name,
  content: { account_ids },
  gone: [],
  version: 2,
  created_at: AT,
  updated_at: AT,
  ...its,
})

beforeEach(() => {
  answerComposer()
  answerSaves()
})

const savedAccounts = () => {
  const saved = api.calls('saveDraft').at(-1)?.body as { content: DraftContent } | undefined
  return saved?.content.targets.map(({ account_id }) => account_id)
}

test('a set replaces the selection in its order, and says whom it leaves out', async () => {
  const gone = [{ account_id: 9, platform: 'tiktok' as const, name: '@old' }]
  api.reply('listPresets', [setOf('Cafés', [4, 5, 9, 2], { gone })])
  const events = await open()
  await events.click(await box('TikTok @northwind'))
  await events.click(button('Sets'))
  await events.click(await screen.findByRole('button', { name: 'Cafés 3 accounts, 1 no longer linked' }))
  expect(await box('TikTok @northwind')).not.toBeChecked()
  expect(await box('Instagram @northwind.bakes')).toBeChecked()
  expect(await box('Instagram @harbour_coffee')).toBeChecked()
  expect(screen.getByRole('status')).toHaveTextContent(
    'Left out: @old on TikTok is no longer linked, @atlasflour on TikTok must be linked again.',
  )
  expect(screen.queryByRole('button', { name: /^Cafés/ })).not.toBeInTheDocument()
  await events.type(await screen.findByRole('textbox', { name: 'Caption' }), 'Rye')
  await waitFor(() => expect(savedAccounts()).toEqual([4, 2]))
  // Once somebody chooses otherwise, it is no longer about this selection.
  await events.click(await box('TikTok @northwind'))
  expect(screen.queryByText(/^Left out/)).not.toBeInTheDocument()
})

test('the selection is saved as a set, whose name nobody else has', async () => {
  api.reply('listPresets', [])
  const events = await open()
  await events.click(await screen.findByRole('button', { name: 'Sets' }))
  expect(await screen.findByRole('button', { name: 'Save this selection as a set…' })).toBeDisabled()
  await events.keyboard('{Escape}')
  await events.click(await screen.findByRole('button', { name: 'Select all: Northwind' }))
  await events.click(button('Sets'))
  await events.click(await screen.findByRole('button', { name: 'Save this selection as a set…' }))
  api.refuse('createPreset', 'invalid', 'Taken', { name: ['You already have a set with this name.'] })
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Bakery{Enter}')
  expect(await screen.findByText('You already have a set with this name.')).toBeVisible()
  const saved = setOf('Bakeries', [1, 2, 3])
  api.reply('createPreset', saved)
  api.reply('listPresets', [saved])
  await events.clear(screen.getByRole('textbox', { name: 'Name' }))
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Bakeries{Enter}')
  expect(await screen.findByRole('button', { name: 'Bakeries 3 accounts' })).toBeVisible()
  expect(NewPreset.parse(api.calls('createPreset')[1]?.body)).toEqual({
    kind: 'accounts',
    name: 'Bakeries',
    content: { account_ids: [1, 2, 3] },
  })
})

test('a set is renamed, given the selection, and deleted after a question', async () => {
  let stored: StoredSet[] = [setOf('Cafés', [2])]
  api.reply('listPresets', () => stored)
  api.reply('changePreset', ({ body }) => {
    const { name = 'Bakeries', content, version } = PresetChange.parse(body)
    const changed = setOf(name, content && 'account_ids' in content ? content.account_ids : [2], {
      version: version + 1,
    })
    stored = [changed]
    return changed
  })
  api.reply('deletePreset', undefined)
  const events = await open()
  await events.click(await box('TikTok @northwind'))
  await events.click(button('Sets'))
  await events.click(await screen.findByRole('button', { name: 'Change “Cafés”' }))
  await events.click(button('Rename'))
  await events.clear(screen.getByRole('textbox', { name: 'Name' }))
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Bakeries{Enter}')
  await events.click(await screen.findByRole('button', { name: 'Change “Bakeries”' }))
  await events.click(await screen.findByRole('button', { name: 'Replace with this selection' }))
  await waitFor(() => expect(stored[0]?.content.account_ids).toEqual([1]))
  expect(api.calls('changePreset').map(({ body }) => body)).toEqual([
    { kind: 'accounts', name: 'Bakeries', version: 2 },
    { kind: 'accounts', content: { account_ids: [1] }, version: 3 },
  ])
  await events.click(await screen.findByRole('button', { name: 'Change “Bakeries”' }))
  await events.click(button('Delete'))
  stored = []
  await events.click(within(screen.getByRole('group', { name: /^Delete “Bakeries”/ })).getByText('Delete'))
  expect(await screen.findByText(/^No set yet/)).toBeVisible()
})

test('nothing is published by the shortcut while a set is named', async () => {
  api.reply('listPresets', [])
  const events = await open()
  await events.click(await box('TikTok @northwind'))
  await events.click(button('Sets'))
  await events.click(await screen.findByRole('button', { name: 'Save this selection as a set…' }))
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Cafés{Control>}{Enter}{/Control}')
  const bar = within(screen.getByRole('region', { name: 'Publish' }))
  expect(bar.queryByRole('alert')).not.toBeInTheDocument()
})
