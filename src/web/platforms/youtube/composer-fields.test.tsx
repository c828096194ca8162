import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { account } from '#web/testing/data.ts'
import { renderOptions } from '#web/testing/render-options.tsx'

const channel = (granted: boolean) =>
  Account.parse(account({ platform: 'youtube', permissions: [{ name: 'comments', granted }] }))
const shown = (
  stored: Parameters<typeof renderOptions>[2] = { privacy: 'public', madeForKids: false },
  owner: Account | null = null,
) =>
  renderOptions(
    'youtube',
    { options: null, account: owner, auditForm: false, video: null, text: 'Lemon tart\nStill warm' },
    stored,
  )
const field = (name: string) => screen.getByRole('textbox', { name })
const title = () => field('Title')

test('all three visibilities are offered, and none is preselected', async () => {
  const { events, sent } = shown(null)
  const visibility = screen.getByRole('combobox', { name: 'Who can see this video' })
  expect(visibility).toHaveValue('')
  expect(visibility).toBeRequired()
  expect(visibility).toHaveAccessibleDescription('Choose who can see this video.')
  await events.click(visibility)
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
    'PublicEveryone',
    'UnlistedAnyone who has the link',
    'PrivateOnly the channel, and people it invites on YouTube',
  ])
  await events.click(screen.getByRole('option', { name: /^Unlisted/ }))
  expect(sent()).toBeNull()
  await events.click(screen.getByRole('radio', { name: 'No' }))
  expect(sent()).toMatchObject({ privacy: 'unlisted', made_for_kids: false })
})

test('made for kids is asked without a default', async () => {
  const { events, sent } = shown({ privacy: 'public' })
  const [no, yes] = [screen.getByRole('radio', { name: 'No' }), screen.getByRole('radio', { name: /^Yes/ })]
  expect(no).not.toBeChecked()
  expect(yes).not.toBeChecked()
  expect(no).toBeInvalid()
  expect(no).toBeRequired()
  expect(screen.getByText('Say whether this video is made for kids.')).toBeVisible()
  await events.click(yes)
  expect(sent()).toMatchObject({ made_for_kids: true })
  expect(field('First comment')).toBeDisabled()
  expect(field('First comment')).toHaveAccessibleDescription(/turns comments off on videos made for kids/)
})

test("the title follows the caption's first line until one is typed, and again when asked to", async () => {
  const { events, sent } = shown()
  expect(title()).toHaveValue('Lemon tart')
  expect(title()).toHaveAccessibleDescription(/^From the caption's first line\.\s*10 \/ 100$/)
  await events.type(title(), '{Enter}today')
  expect(title()).toHaveValue('Lemon tart today')
  expect(sent()).toMatchObject({ title: 'Lemon tart today' })
  await events.clear(title())
  expect(title()).toHaveValue('')
  expect(title()).toBeInvalid()
  expect(title()).toHaveAccessibleDescription(/^Enter a title\./)
  await events.click(screen.getByRole('button', { name: "Use the caption's first line" }))
  expect(title()).toHaveFocus()
  expect(sent()).toMatchObject({ title: 'Lemon tart' })
})

test('tags are counted as YouTube counts them', async () => {
  const { events, sent } = shown()
  expect(field('Tags')).toHaveAccessibleDescription('0 of 500 characters. Separate tags with commas.')
  await events.type(field('Tags'), 'rye,sour dough')
  expect(field('Tags')).toHaveAccessibleDescription('16 of 500 characters. Separate tags with commas.')
  await events.keyboard('{Enter}')
  expect(field('Tags')).toHaveValue('')
  expect(sent()).toMatchObject({ tags: ['rye', 'sour dough'] })
  await events.click(screen.getByRole('button', { name: 'Remove rye from Tags' }))
  expect(sent()).toMatchObject({ tags: ['sour dough'] })
})

test('a first comment is offered once the channel allows comments', () => {
  shown(undefined, channel(false))
  expect(field('First comment')).toHaveAccessibleDescription(/hasn't allowed comments/)
  expect(screen.getByRole('button', { name: /^Link again to allow comments/ })).toBeVisible()
})

test('altered content, category, subscribers and more are sent', async () => {
  const { events, sent } = shown()
  await events.click(screen.getByRole('switch', { name: 'Altered or synthetic content' }))
  await events.click(screen.getByRole('switch', { name: 'Notify subscribers' }))
  await events.click(screen.getByRole('combobox', { name: 'Category' }))
  await events.click(screen.getByRole('option', { name: 'Howto & Style' }))
  expect(screen.getByRole('switch', { name: 'Allow embedding', hidden: true })).not.toBeVisible()
  await events.click(screen.getByText('More options'))
  await events.click(screen.getByRole('switch', { name: 'Allow embedding' }))
  await events.click(screen.getByRole('switch', { name: 'Public statistics' }))
  await events.click(screen.getByRole('radio', { name: /^Creative Commons/ }))
  expect(sent()).toMatchObject({
    synthetic_media: true,
    notify_subscribers: false,
    category_id: '26',
    embeddable: false,
    public_stats: false,
    license: 'creativeCommon',
  })
  expect(screen.getByText('3 set')).toBeVisible()
})

test("YouTube's and Google's terms and the way to end access stand beside the button", () => {
  const { showTerms } = shown()
  showTerms([{ firstComment: 'The recipe' }, null])
  expect(
    screen.getByText(/^To YouTube: 2 uploads and the first comment\. By posting, you agree to its/),
  ).toBeVisible()
  const addresses = screen.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(addresses).toEqual([
    'https://www.youtube.com/t/terms',
    'https://www.youtube.com/howyoutubeworks/policies/community-guidelines/',
    'https://policies.google.com/privacy',
    'https://security.google.com/settings/security/permissions',
  ])
})
