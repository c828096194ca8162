import { screen } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { button, renderPart } from '#web/testing/render-app.tsx'
import { fixtureFile, matroskaFile } from '#web/testing/sample-files.ts'
import { PLATFORM_FORMS } from './forms.tsx'

// Loaded on demand, which takes its time on a busy machine.
beforeAll(async () => {
  await import('#web/video/fix/convert.ts')
})

const Form = PLATFORM_FORMS.instagram
const choose = async (file: File) => {
  const events = await renderPart(<Form accounts={[]} />)
  await events.upload(screen.getByLabelText('Video file', { selector: 'input' }), file)
  return events
}

test("a form's file that would be refused is fixed before it is sent", async () => {
  const events = await choose(await matroskaFile())
  expect(await screen.findByText(/^The file is Matroska/)).toBeVisible()
  expect(screen.getByText('Your browser can make it: MP4. Your own file stays as it is.')).toBeVisible()
  await events.click(button('Fix'))
  expect(await screen.findByText('tart.mp4')).toBeVisible()
  await screen.findByText(/0:04 · 720 × 1280/)
  expect(screen.queryByText(/^The file is Matroska/)).toBeNull()
  expect(screen.queryByRole('button', { name: 'Fix' })).toBeNull()
})

test("nothing is offered for a form's file that suits the platform", async () => {
  await choose(fixtureFile('good.mp4'))
  await screen.findByText(/0:04 · 720 × 1280/)
  expect(screen.queryByRole('button', { name: 'Fix' })).toBeNull()
})
