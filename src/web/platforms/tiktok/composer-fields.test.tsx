import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { account, creator } from '#web/testing/data.ts'
import { renderOptions } from '#web/testing/render-options.tsx'

const box = (name: string) => screen.getByRole('checkbox', { name })
const audience = () => screen.getByRole('combobox', { name: /^Who can see this video/ })
const disclose = () => screen.getByRole('switch', { name: 'Disclose promotional content' })
const NOT_PRIVATE = 'Branded content visibility cannot be set to private.'
const NOT_FOLLOWERS = 'Branded content can only be public or for friends.'

const shown = (its: Parameters<typeof creator>[0] = {}, auditForm = false) =>
  renderOptions('tiktok', { options: creator(its), account: null, auditForm, video: null, text: '' })

test('the audit form preselects no audience and allows nothing by itself', () => {
  shown({}, true)
  expect(audience()).toHaveValue('')
  expect(audience()).toHaveAccessibleDescription('TikTok wants you to choose this for every post.')
  for (const name of ['Allow comments', 'Allow duet', 'Allow stitch']) expect(box(name)).not.toBeChecked()
  expect(disclose()).not.toBeChecked()
})

test('interactions that the creator turned off are greyed, with the reason', () => {
  shown({ duet_disabled: true, stitch_disabled: true })
  expect(box('Allow comments')).toBeEnabled()
  expect(box('Allow duet')).toBeDisabled()
  expect(box('Allow stitch')).toBeDisabled()
  expect(screen.getByText('Duet and stitch are off in this TikTok account.')).toBeVisible()
})

test.each([
  [{ stitch_disabled: true }, 'Stitch is off in this TikTok account.'],
  [{ comment_disabled: true }, 'Comments are off in this TikTok account.'],
])('disabled features are named: %j', (its, sentence) => {
  shown(its)
  expect(screen.getByText(sentence)).toBeVisible()
})

test('a disclosure has two empty boxes, asks for one, and then names the label', async () => {
  const { events } = shown()
  await events.click(disclose())
  expect(box('Your brand')).not.toBeChecked()
  expect(box('Branded content')).not.toBeChecked()
  expect(box('Your brand')).toBeInvalid()
  expect(box('Your brand')).toHaveAccessibleDescription(
    /You need to indicate if your content promotes yourself, a third party, or both\./,
  )
  expect(screen.getByRole('status')).toBeEmptyDOMElement()
  await events.click(box('Your brand'))
  expect(screen.getByRole('status')).toHaveTextContent("Your video will be labeled as 'Promotional content'.")
  await events.click(box('Branded content'))
  expect(screen.getByRole('status')).toHaveTextContent("Your video will be labeled as 'Paid partnership'.")
  expect(box('Your brand')).toBeValid()
})

test('a disclosure that is turned off and on again has two empty boxes', async () => {
  const { events, sent } = shown()
  await events.click(disclose())
  await events.click(box('Branded content'))
  await events.click(disclose())
  expect(sent()).toMatchObject({ brand_content_toggle: false })
  await events.click(disclose())
  expect(box('Branded content')).not.toBeChecked()
})

test('a private video cannot be branded content', async () => {
  const { events } = shown({ privacy_levels: ['PUBLIC_TO_EVERYONE', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'] })
  await events.click(disclose())
  expect(box('Branded content')).toBeEnabled()
  await events.click(audience())
  await events.click(screen.getByRole('option', { name: 'Private' }))
  expect(box('Branded content')).toBeDisabled()
  expect(box('Branded content')).toHaveAccessibleDescription(new RegExp(NOT_PRIVATE))
  await events.click(audience())
  await events.click(screen.getByRole('option', { name: 'Followers Only' }))
  expect(box('Branded content')).toBeDisabled()
  expect(box('Branded content')).toHaveAccessibleDescription(new RegExp(NOT_FOLLOWERS))
})

test('branded content cannot be made private, and the audience stays as it was', async () => {
  const { events, sent } = shown({
    privacy_levels: ['PUBLIC_TO_EVERYONE', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'],
  })
  await events.click(disclose())
  await events.click(box('Branded content'))
  await events.click(audience())
  const levels = screen.getAllByRole('option')
  expect(levels.map((level) => level.textContent)).toEqual([
    'Public',
    `Followers Only${NOT_FOLLOWERS}`,
    `Private${NOT_PRIVATE}`,
  ])
  expect(levels.map((level) => level.dataset['comboboxDisabled'])).toEqual([undefined, 'true', 'true'])
  await events.click(screen.getByRole('option', { name: /^Private/ }))
  expect(sent()).toMatchObject({ privacy_level: 'PUBLIC_TO_EVERYONE', brand_content_toggle: true })
})

test('branded content is greyed where an account can post neither publicly nor for friends', async () => {
  const { events } = shown({ privacy_levels: ['SELF_ONLY'] }, true)
  await events.click(disclose())
  expect(box('Branded content')).toBeDisabled()
  expect(box('Branded content')).toHaveAccessibleDescription(/This account offers neither at the moment\./)
})

test('branded content chosen for several accounts can be unticked at one that is private', async () => {
  const options = creator({ privacy_levels: ['SELF_ONLY'] })
  const { events } = renderOptions(
    'tiktok',
    { options, account: null, auditForm: false, video: null, text: '' },
    { promotional: true, branded: true },
  )
  expect(audience()).toHaveAccessibleDescription(NOT_FOLLOWERS)
  await events.click(box('Branded content'))
  expect(audience()).toBeValid()
})

test('a draft for the inbox hides what TikTok does not take with it', async () => {
  const { events, sent } = shown({}, true)
  expect(sent()).toBeNull()
  const draft = screen.getByRole('switch', { name: 'Send as a draft' })
  expect(draft).toHaveAccessibleDescription(/You write the caption and post it in the TikTok app\./)
  await events.click(draft)
  expect(sent()).toMatchObject({ post_mode: 'MEDIA_UPLOAD' })
  expect(draft).toHaveAccessibleDescription(/Open its notification within about 24 hours\./)
  expect(screen.queryByRole('combobox')).not.toBeInTheDocument()
  expect(screen.queryAllByRole('checkbox')).toEqual([])
  expect(screen.getAllByRole('switch')).toEqual([screen.getByRole('switch', { name: 'Send as a draft' })])
  expect(draft).toHaveFocus()
  await events.keyboard(' ')
  expect(audience()).toBeVisible()
})

test('an account that did not allow drafts is linked again from there', async () => {
  const linked = Account.parse(account({ permissions: [{ name: 'inbox_draft', granted: false }] }))
  const context = { account: linked, options: creator(), auditForm: false, video: null, text: '' }
  const { events, sent } = renderOptions('tiktok', context)
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
  await events.click(screen.getByRole('switch', { name: 'Send as a draft' }))
  expect(sent()).toBeNull()
  expect(screen.getByText('Allow drafts, or post directly.')).toBeVisible()
  expect(
    screen.getByRole('button', { name: 'Link again to allow drafts: @northwind on TikTok' }),
  ).toBeVisible()
})

test('the terms are for what is posted from here, not for drafts', () => {
  const { showTerms } = shown()
  showTerms([{ inbox: true }])
  expect(screen.queryByText(/^By posting/)).not.toBeInTheDocument()
  showTerms([{ inbox: true, promotional: true, branded: true }, null])
  expect(screen.getByText(/^By posting/)).not.toHaveTextContent('Branded')
})

test('the whole panel works by keyboard', async () => {
  const { events, sent } = shown()
  audience().focus()
  await events.keyboard('{Tab} {Tab}{Tab}{Tab} {Tab} {Tab}{Tab} ')
  expect(sent()).toMatchObject({
    disable_comment: true,
    disable_duet: false,
    brand_organic_toggle: true,
    is_aigc: true,
  })
})

test('the terms name the Branded Content Policy while one account declares branded content', () => {
  const { showTerms } = shown()
  showTerms([null, { promotional: true, branded: true }])
  expect(screen.getByText(/^By posting/).closest('p')).toHaveTextContent(
    "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.",
  )
  expect(screen.getByRole('link', { name: 'Branded Content Policy' })).toHaveAttribute(
    'href',
    'https://www.tiktok.com/legal/page/global/bc-policy/en',
  )
  showTerms([null, { promotional: false, branded: true }])
  expect(screen.getByText(/^By posting/).closest('p')).toHaveTextContent(
    "By posting, you agree to TikTok's Music Usage Confirmation.",
  )
})
