import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderOptions } from '#web/testing/render-options.tsx'

const shown = (stored: Parameters<typeof renderOptions>[2] = null) =>
  renderOptions(
    'instagram',
    { options: null, account: null, auditForm: false, video: null, text: '' },
    stored,
  )
const field = (name: string) => screen.getByRole('textbox', { name })
const control = (name: string) => screen.getByRole('switch', { name })
const more = () => screen.getByText('More options')

test('a collaborator becomes a chip, is counted, and can be removed', async () => {
  const { events, sent } = shown()
  const people = field('Collaborators')
  expect(people).toHaveAccessibleDescription('Up to 3. They get a request.')
  await events.type(people, '@maria.bakes{Enter}sam,')
  expect(people).toHaveValue('')
  expect(people).toHaveAccessibleDescription('2 of 3. They get a request.')
  expect(sent()).toMatchObject({ collaborators: ['maria.bakes', 'sam'] })
  await events.click(screen.getByRole('button', { name: 'Remove @maria.bakes from Collaborators' }))
  expect(sent()).toMatchObject({ collaborators: ['sam'] })
  expect(people).toHaveFocus()
})

test('a name that is still being typed counts, and Tab completes it', async () => {
  const { events, sent } = shown()
  await events.type(field('Collaborators'), 'maria')
  expect(sent()).toMatchObject({ collaborators: ['maria'] })
  await events.click(document.body)
  expect(field('Collaborators')).toHaveValue('maria')
  await events.click(field('Collaborators'))
  await events.tab()
  expect(screen.getByRole('button', { name: 'Remove @maria from Collaborators' })).toBeVisible()
  expect(field('Collaborators')).toHaveValue('')
})

test('Backspace in an empty field removes the last name', async () => {
  const { events, sent } = shown({ collaborators: 'maria sam ' })
  await events.type(field('Collaborators'), '{Backspace}')
  expect(sent()).toMatchObject({ collaborators: ['maria'] })
})

test('a fourth collaborator and a faulty name are refused at the field', async () => {
  const { events, sent } = shown({ collaborators: 'a b c ' })
  await events.type(field('Collaborators'), 'd')
  expect(field('Collaborators')).toBeInvalid()
  expect(field('Collaborators')).toHaveAccessibleDescription('Enter up to 3 names.')
  expect(sent()).toBeNull()
  await events.type(field('Collaborators'), '{Backspace}{Backspace}é')
  expect(field('Collaborators')).toHaveAccessibleDescription(/^Enter a username/)
})

test('options that few posts need are closed until one is set', async () => {
  const { events, sent } = shown()
  expect(field('Collaborators')).toBeVisible()
  expect(screen.getByText('Tag people')).not.toBeVisible()
  await events.click(more())
  expect(field('Tag people')).toBeVisible()
  await events.type(field('Tag people'), 'ana ')
  await events.type(field('Audio name'), 'Morning')
  await events.click(control('AI-generated content'))
  expect(sent()).toMatchObject({ user_tags: ['ana'], audio_name: 'Morning', is_ai_generated: true })
  await events.click(more())
  expect(screen.getByText('3 set')).toBeVisible()
  expect(screen.getByText('Tag people')).not.toBeVisible()
})

test('they are open where one is set, and stay open while one is refused', async () => {
  const { events } = shown({ audioName: 'x'.repeat(101) })
  expect(field('Audio name')).toBeVisible()
  expect(field('Audio name')).toHaveAccessibleDescription('Use at most 100 characters.')
  await events.click(more())
  expect(field('Audio name')).toBeVisible()
})

test('a trial reel says who sees it, and when its followers will', async () => {
  const { events, sent } = shown()
  await events.click(more())
  expect(control('Trial reel')).toHaveAccessibleDescription(
    "Shown only to people who don't follow the account, until it is shared with followers.",
  )
  expect(screen.queryByRole('radiogroup')).toBeNull()
  await events.click(control('Trial reel'))
  const byHand = screen.getByRole('radio', { name: 'When I decide' })
  const automatic = screen.getByRole('radio', { name: 'Automatically' })
  expect(byHand).toBeChecked()
  expect(byHand).toHaveAccessibleDescription('You share it in the Instagram app.')
  expect(automatic).toHaveAccessibleDescription('Instagram shares it if it does well within 72 hours.')
  await events.click(automatic)
  expect(sent()).toMatchObject({ trial_params: { graduation_strategy: 'SS_PERFORMANCE' } })
  await events.click(control('Trial reel'))
  expect(sent()).not.toHaveProperty('trial_params')
})
