import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { PostImport } from '#contract/planning/csv.ts'
import { api } from '#web/testing/api-stub.ts'
import { brand, posts } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

const CSV = 'caption,video,accounts,time\nHello 🍋,tart.mp4,1,2026-12-24 18:30'
const csvFile = (parts: BlobPart[] = [CSV], name = 'posts.csv') => new File(parts, name, { type: 'text/csv' })

const NOTHING = { posts: 0, post_ids: [], errors: [], lines: [] }
const ONE: z.input<typeof PostImport> = {
  ...NOTHING,
  posts: 1,
  lines: [
    {
      line: 2,
      text: 'Hello 🍋',
      filename: 'tart.mp4',
      accounts: [{ platform: 'tiktok', name: '@nova', avatar_url: null }],
      at: '2026-12-24T18:30:00.000Z',
      last_at: '2026-12-24T18:30:00.000Z',
      timezone: 'America/New_York',
    },
  ],
}
const isDryRun = (body: unknown) => (body as { dry_run?: boolean }).dry_run === true

const open = () => renderSignedIn('/dashboard/import', 'Import and export')
const choose = (file: File) =>
  fireEvent.change(screen.getByLabelText('CSV file'), { target: { files: [file] } })

afterEach(() => vi.restoreAllMocks())

test('a file with errors shows each with its line, and cannot be imported', async () => {
  const errors = [
    { line: 2, column: 'video' as const, message: 'No video in your library is called “x”.' },
    { line: 7, column: null, message: 'This line has 6 cells.' },
  ]
  await open()
  api.reply('importPosts', { ...NOTHING, posts: 3, errors })
  choose(csvFile())
  await findAlert(/posts\.csv has 2 errors\./)
  const rows = within(screen.getByRole('region', { name: 'Errors' })).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'LineColumnWhat to correct',
    '2videoNo video in your library is called “x”.',
    '7AllThis line has 6 cells.',
  ])
  expect(screen.queryByRole('button', { name: /^Schedule/ })).not.toBeInTheDocument()
  expect(api.calls('importPosts').map(({ body }) => body)).toEqual([{ csv: CSV, dry_run: true }])

  // Corrected and chosen again.
  api.reply('importPosts', ONE)
  choose(csvFile())
  await screen.findByRole('button', { name: 'Schedule 1 post' })
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})

test('a file without errors shows its posts, and is scheduled once it is confirmed', async () => {
  const events = await open()
  api.reply('importPosts', ({ body }) => (isDryRun(body) ? ONE : { ...NOTHING, posts: 1, post_ids: [7] }))
  choose(csvFile())
  const [, row] = within(await screen.findByRole('region', { name: 'Posts of the file' })).getAllByRole('row')
  expect(row).toHaveTextContent('24 Dec, 13:30')
  expect(row).toHaveTextContent('America/New York')
  expect(row).toHaveTextContent('TikTok @nova')
  expect(row).toHaveTextContent('Hello 🍋')

  // The answer is lost; the second attempt is the same import.
  api.disconnect('importPosts')
  await events.click(button('Schedule 1 post'))
  await screen.findByRole('alert')
  api.reply('importPosts', { ...NOTHING, posts: 1, post_ids: [7] })
  api.reply('listPosts', posts())
  await events.click(button('Schedule 1 post'))
  await findHeading('Queue')
  await screen.findByText('1 post scheduled.')
  const made = api.calls('importPosts').filter(({ body }) => !isDryRun(body))
  const keys = made.map(({ headers }) => headers['Idempotency-Key'])
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[\w-]{30,}$/)
  expect(keys[1]).toBe(keys[0])
})

test('what has changed since the check is shown as errors of the file', async () => {
  const events = await open()
  api.reply('importPosts', ONE)
  choose(csvFile())
  await screen.findByRole('button', { name: 'Schedule 1 post' })
  const errors = [{ line: 2, column: 'time' as const, message: 'This time has passed.' }]
  api.refuse('importPosts', 'invalid', 'This time has passed.', { 'lines.2.time': ['This time has passed.'] })
  await events.click(button('Schedule 1 post'))
  await findAlert(/This time has passed/)
  api.reply('importPosts', { ...NOTHING, errors })
  await events.click(button('Check again'))
  await findAlert(/has 1 error\./)
})

test.each([
  ['in another encoding', csvFile([new Uint8Array([0xe9, 0x0a])]), /not UTF-8 text/],
  ['of UTF-16', csvFile([new Uint8Array([0xff, 0xfe, 0x61, 0])]), /not UTF-8 text/],
  ['that is too large', csvFile(['x'.repeat(3_000_000)]), /is 3 MB\. The limit is 2\.1 MB/],
])('a file %s is refused before it is sent', async (_what, file, says) => {
  await open()
  choose(file)
  await findAlert(says)
  expect(api.calls('importPosts')).toEqual([])
})

test('a dropped file is checked', async () => {
  await open()
  api.reply('importPosts', ONE)
  fireEvent.drop(button('Choose a CSV file'), { dataTransfer: { files: [csvFile()] } })
  await screen.findByRole('button', { name: 'Schedule 1 post' })
})

test('the export downloads what is chosen as UTF-8 for spreadsheets', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T12:00:00Z') })
  api.reply('listBrands', [brand()])
  const events = await open()
  api.reply('exportPosts', 'post_id,caption\r\n1,Zitrone 🍋')
  const blobs: Blob[] = []
  const names: string[] = []
  URL.createObjectURL = (blob: Blob) => `blob:${blobs.push(blob)}`
  URL.revokeObjectURL = () => undefined
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  api.reply('listBrands', [brand()])
  await screen.findByRole('option', { name: brand().title })
  await events.selectOptions(screen.getByRole('combobox', { name: 'Brand' }), brand().title)
  await events.click(button(/^From/))
  await events.click(await screen.findByRole('button', { name: '1 November 2026' }))
  await events.click(button('Download CSV'))
  await waitFor(() => expect(names).toHaveLength(1))
  expect(names[0]).toMatch(/^reelay-posts-\d{4}-\d{2}-\d{2}\.csv$/)
  const bytes = new Uint8Array((await blobs[0]?.arrayBuffer()) ?? [])
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe(
    '\ufeffpost_id,caption\r\n1,Zitrone 🍋',
  )
  expect(api.calls('exportPosts').map(({ query }) => query)).toEqual([
    { brandId: brand().brand_id, from: '2026-11-01' },
  ])

  api.refuse('exportPosts', 'not_found', "This brand doesn't exist.")
  await events.click(button('Download CSV'))
  await findAlert("This brand doesn't exist.")
})
