import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'

/** The markup of what React renders. */
const markup = (shown: ReactNode): string => render(shown).container.innerHTML

test('a text beside an element has an element of its own, and the space between them stays', () => {
  expect(
    markup(
      <p>
        Open <a href="/">the queue</a>, or wait.
      </p>,
    ),
  ).toBe('<p><span>Open</span> <a href="/">the queue</a><span>, or wait.</span></p>')
})

test('texts alone are one text, and need no other element', () => {
  const [count, isMore] = [2, true]
  expect(
    markup(
      <p>
        {count} posts{isMore && ' or more'}
        {null}
      </p>,
    ),
  ).toBe('<p>2 posts or more</p>')
})

test('a text in a fragment has an element of its own', () => {
  expect(markup(<p>{<>Paused</>}</p>)).toBe('<p><span>Paused</span></p>')
})

test('space alone, nothing and what comes and goes stay what they are', () => {
  const isGone = false
  expect(
    markup(
      <p>
        <b>a</b> <b>b</b>
        {''}
        {isGone && <b>c</b>}
      </p>,
    ),
  ).toBe('<p><b>a</b> <b>b</b></p>')
})

const Page = ({ note }: { note: string | null }) => (
  <p>
    {note}
    {note !== null && 2}
    <input />
  </p>
)

test('an element keeps its state while texts beside it come and go', () => {
  const { container, rerender } = render(<Page note={null} />)
  const input = container.querySelector('input')
  rerender(<Page note="Saved" />)
  expect(container.textContent).toBe('Saved2')
  expect(container.querySelector('input')).toBe(input)
})
