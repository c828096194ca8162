import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { z } from 'zod'
import { NewPreset, type Preset } from '#contract/presets.ts'
import { api } from '#web/testing/api-stub.ts'
import {
  answerComposer,
  AT,
  channel,
  content,
  link,
  openDraft,
  primary,
  sent,
} from '#web/testing/composer.ts'
import { account } from '#web/testing/data.ts'
import { button } from '#web/testing/render-app.tsx'

type StoredOptions = Extract<z.input<typeof Preset>, { kind: 'options' }>

const optionsOf = (
  name: string,
  platform: 'tiktok' | 'youtube',
  options: Record<string, unknown>,
): StoredOptions => ({
  preset_id: name.length,
  kind: 'options',
  name,
  content: { platform, options },
  version: 1,
  created_at: AT,
  updated_at: AT,
})
const ADS = { comment: false, promotional: true, ownBrand: false, branded: true }

beforeEach(answerComposer)

const openPresets = async (name = '@northwind') => {
  const events = await openDraft()
  await events.click(await screen.findByRole('button', { name: `Caption and options for ${name} on TikTok` }))
  expect(api.calls('listPresets')).toEqual([])
  await events.click(await screen.findByRole('button', { name: `Presets for ${name}` }))
  return events
}

test('a preset is applied by a press, says so, and goes out as the fields show it', async () => {
  api.reply('listPresets', [
    optionsOf('Ads', 'tiktok', { ...ADS, privacy: 'PUBLIC_TO_EVERYONE' }),
    optionsOf('Shorts', 'youtube', { privacy: 'public' }),
  ])
  const events = await openPresets()
  expect(screen.queryByRole('button', { name: /^Shorts/ })).not.toBeInTheDocument()
  expect(screen.getByRole('switch', { name: 'Disclose promotional content' })).not.toBeChecked()
  await events.click(
    await screen.findByRole('button', { name: 'Ads Public, comments off, paid partnership' }),
  )
  expect(screen.getByText('“Ads” is applied.')).toBeVisible()
  expect(screen.getByRole('checkbox', { name: 'Branded content' })).toBeChecked()
  await events.click(screen.getByRole('switch', { name: 'AI-generated content' }))
  expect(screen.queryByText('“Ads” is applied.')).not.toBeInTheDocument()
  await events.click(await primary('Publish to 1 account'))
  await waitFor(() => expect(sent()).toHaveLength(1))
  expect(sent()[0]?.targets[0]?.options).toMatchObject({
    privacy_level: 'PUBLIC_TO_EVERYONE',
    disable_comment: true,
    brand_content_toggle: true,
    is_aigc: true,
  })
})

test('an audience that the account does not offer is named, and nobody is chosen instead', async () => {
  api.reply('listPresets', [optionsOf('Friends', 'tiktok', { ...ADS, privacy: 'MUTUAL_FOLLOW_FRIENDS' })])
  const events = await openPresets()
  await events.click(await screen.findByRole('button', { name: /^Friends/ }))
  expect(screen.getByText(/“Friends Only” is not offered here at the moment/)).toBeVisible()
  expect(screen.getByRole('combobox', { name: 'Who can see this video' })).toHaveValue('')
})

test('a preset that holds other options than this version changes nothing', async () => {
  api.reply('listPresets', [optionsOf('Old', 'tiktok', { privacy: 'EVERYBODY' })])
  const events = await openPresets()
  await events.click(await screen.findByRole('button', { name: /^Old/ }))
  expect(screen.getByText(/Nothing is changed/)).toBeVisible()
})

test('options are saved without what belongs to one video, and without what nobody chose', async () => {
  link(account({ account_id: 6, platform: 'youtube', username: 'northwind' }))
  api.reply('getAccountOptions', channel)
  api.reply('listPresets', [])
  const options = { title: 'Lemon tart', privacy: 'public', firstComment: 'Hi', tags: 'bread', notify: false }
  const events = await openDraft({
    content: content({
      platform_options: { youtube: options },
      targets: [{ account_id: 6, text: null, options: null }],
    }),
  })
  await events.click(
    await screen.findByRole('button', { name: 'Caption and options for @northwind on YouTube' }),
  )
  await events.click(await screen.findByRole('button', { name: 'Presets for @northwind' }))
  await events.click(await screen.findByRole('button', { name: 'Save these options as a preset…' }))
  api.reply('createPreset', optionsOf('Shorts', 'youtube', {}))
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Shorts')
  await events.click(button('Save'))
  await waitFor(() => expect(api.calls('createPreset')).toHaveLength(1))
  expect(NewPreset.parse(api.calls('createPreset')[0]?.body).content).toEqual({
    platform: 'youtube',
    options: {
      privacy: 'public',
      synthetic: false,
      tags: 'bread',
      notify: false,
      license: 'youtube',
      embeddable: true,
      publicStats: true,
    },
  })
})
