import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { z } from 'zod'
import { NewPreset, type Preset } from '#contract/presets.ts'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, AT, box, open, primary, rowOf, sent } from '#web/testing/composer.ts'
import { button } from '#web/testing/render-app.tsx'

type StoredText = Extract<z.input<typeof Preset>, { kind: 'text' }>

const textOf = (
  preset_id: number,
  name: string,
  text: string,
  brand_id: number | null = null,
): StoredText => ({
  preset_id,
  kind: 'text',
  name,
  brand_id,
  content: { text },
  version: 1,
  created_at: AT,
  updated_at: AT,
})
const SIGNATURE = textOf(1, 'Signature', 'By {account} of {brand}.')
const HASHTAGS = textOf(2, 'Bread tags', '#bread #rye')
const OF_HARBOUR = textOf(3, 'Coffee tags', '#coffee', 2)

beforeEach(() => {
  answerComposer()
  api.reply('listPresets', [HASHTAGS, OF_HARBOUR, SIGNATURE])
})

const caption = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Caption' })
const savedTexts = async () => {
  const [first] = await screen.findAllByRole('button', { name: 'Saved texts' })
  if (!first) throw new Error('There is no button for saved texts.')
  return first
}

test('a saved text is inserted at the cursor, and offered only for its brand', async () => {
  const events = await open()
  await events.click(await box('TikTok @northwind'))
  await events.type(await caption(), 'Rye!  Come by')
  ;(await caption()).setSelectionRange(5, 5)
  await events.click(await savedTexts())
  await events.click(await screen.findByRole('button', { name: 'Bread tags #bread #rye' }))
  await waitFor(async () => expect(await caption()).toHaveValue('Rye! #bread #rye Come by'))
  expect(await caption()).toHaveFocus()
  await events.click(await savedTexts())
  await screen.findByRole('button', { name: /^Signature/ })
  expect(screen.queryByRole('button', { name: /^Coffee tags/ })).not.toBeInTheDocument()
})

test('a text is found by what is typed after a slash, and filled in for the account', async () => {
  const events = await open()
  await events.click(await box('TikTok @northwind'))
  await events.type(await caption(), 'Rye and/or wheat /sig')
  const texts = await screen.findByRole('listbox', { name: 'Saved texts' })
  expect(within(texts).getAllByRole('option')).toHaveLength(1)
  await events.keyboard('{Enter}')
  await waitFor(async () =>
    expect(await caption()).toHaveValue('Rye and/or wheat By @northwind of Northwind.'),
  )
})

test('a text with names that differ gives each account its own caption, once that is agreed to', async () => {
  const events = await open('?video=1')
  await events.type(await caption(), 'Rye. /sig')
  await screen.findByRole('option', { name: 'Signature' })
  await events.keyboard('{Enter}')
  expect(await screen.findByText(/Select the accounts first/)).toBeVisible()
  expect(await caption()).toHaveValue('Rye. ')
  await events.click(await box('TikTok @northwind'))
  await events.click(await box('Instagram @harbour_coffee'))
  await events.click(await savedTexts())
  await events.click(await screen.findByRole('button', { name: /^Signature/ }))
  expect(await screen.findByText(/differ between these 2 accounts/)).toBeVisible()
  expect(await caption()).toHaveValue('Rye. ')
  await events.click(button('Give each its own caption'))
  expect(await caption()).toHaveValue('Rye. ')
  expect(within(await rowOf('TikTok @northwind')).getByText(/Custom caption/)).toBeVisible()
  await events.click(await primary('Publish to 2 accounts'))
  await waitFor(() => expect(sent()).toHaveLength(1))
  expect(sent()[0]?.targets.map(({ account_id, text }) => [account_id, text])).toEqual([
    [1, 'Rye. By @northwind of Northwind.'],
    [4, 'Rye. By @harbour_coffee of Harbour Coffee.'],
  ])
})

test('what is selected is saved as a text, for a brand', async () => {
  const events = await open()
  await events.type(await caption(), 'Rye, {{account} #bread')
  ;(await caption()).setSelectionRange(5, 21)
  await events.click(await savedTexts())
  await events.click(await screen.findByRole('button', { name: 'Save this text…' }))
  expect(screen.getByRole('textbox', { name: 'Text' })).toHaveValue('{account} #bread')
  api.reply('createPreset', HASHTAGS)
  await events.selectOptions(screen.getByRole('combobox', { name: 'For' }), 'Northwind')
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Tags')
  await events.click(button('Save'))
  await screen.findByRole('button', { name: /^Bread tags/ })
  expect(NewPreset.parse(api.calls('createPreset')[0]?.body)).toEqual({
    kind: 'text',
    name: 'Tags',
    brand_id: 1,
    content: { text: '{account} #bread' },
  })
})

test('a saved text is edited', async () => {
  const events = await open()
  await events.click(await savedTexts())
  await events.click(await screen.findByRole('button', { name: 'Change “Bread tags”' }))
  await events.click(button('Edit'))
  api.reply('changePreset', HASHTAGS)
  await events.type(screen.getByRole('textbox', { name: 'Text' }), ' #wheat')
  await events.click(button('Save'))
  await screen.findByRole('button', { name: /^Bread tags/ })
  expect(api.calls('changePreset').map(({ body }) => body)).toEqual([
    { kind: 'text', name: 'Bread tags', brand_id: null, content: { text: '#bread #rye #wheat' }, version: 1 },
  ])
})
