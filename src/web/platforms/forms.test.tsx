import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { PATHS } from '#web/lib/paths.ts'
import { renderPart } from '#web/testing/render-app.tsx'
import { fixtureFile, matroskaFile } from '#web/testing/sample-files.ts'
import { PLATFORM_FORMS } from './forms.tsx'

const Form = PLATFORM_FORMS.instagram
const choose = async (file: File) => {
  if (Form === null) return expect.unreachable()
  const events = await renderPart(<Form accounts={[]} />)
  await events.upload(screen.getByLabelText('Video file', { selector: 'input' }), file)
}

test("a form's file that the browser can fix points to the composer", async () => {
  await choose(await matroskaFile())
  expect(await screen.findByText(/^The file's format is MKV/)).toBeVisible()
  expect(screen.getByText(/can fix this in your browser: MP4\./)).toBeVisible()
  expect(screen.getByRole('link', { name: 'new post' })).toHaveAttribute('href', PATHS.compose)
})

test("nothing is offered for a form's file that suits the platform", async () => {
  await choose(fixtureFile('good.mp4'))
  await screen.findByText(/0:04 · 720 × 1280/)
  expect(screen.queryByRole('link', { name: 'new post' })).toBeNull()
})
