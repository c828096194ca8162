import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, content, openDraft, primary, sent } from '#web/testing/composer.ts'
import { playback, video } from '#web/testing/data.ts'
import { button } from '#web/testing/render-app.tsx'

// Loaded on demand, which takes its time on a busy machine.
beforeAll(async () => {
  await import('#web/videos/convert.ts')
})
beforeEach(answerComposer)

test('while the video is being fixed, the one before does not go out', async () => {
  api.reply('getVideo', video({ facts: { ...video().facts, index_first: false } }))
  api.reply('createPlayback', playback())
  const release = api.hold('createPlayback')
  const events = await openDraft({
    content: content({ targets: [{ account_id: 2, text: null, options: null }] }),
  })
  expect(await primary('Publish to 1 account')).toBeEnabled()
  await events.click(
    await screen.findByRole('button', { name: /^Fix: Instagram: This video isn't optimised/ }),
  )
  expect(await screen.findByText('Fixing 0%')).toBeVisible()
  expect(button('Publish to 1 account')).toBeDisabled()
  await events.keyboard('{Control>}{Enter}{/Control}')
  expect(screen.queryByRole('button', { name: /^Fix/ })).toBeNull()

  await events.click(button('Cancel'))
  release()
  expect(await screen.findByRole('button', { name: /^Fix/ })).toBeVisible()
  expect(button('Publish to 1 account')).toBeEnabled()
  expect(sent()).toEqual([])
})
