import { act, render, screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { readServerTime } from './server-time.ts'
import { useNow } from './use-now.ts'

const HOUR_MS = 3_600_000
const tell = (at: number) => readServerTime(new Date(at).toUTCString(), performance.now())
const Clock = () => <output>{new Date(useNow()).toISOString().slice(0, 13)}</output>

test('what a screen takes for now becomes the server’s time with the first answer', () => {
  onTestFinished(() => tell(Date.now()))
  render(<Clock />)
  const behind = Date.now() - 2 * HOUR_MS
  act(() => tell(behind))
  expect(screen.getByRole('status')).toHaveTextContent(new Date(behind).toISOString().slice(0, 13))
})
