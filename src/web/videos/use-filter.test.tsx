import { act, renderHook, waitFor } from '@testing-library/react'
import { Router, type Navigator } from 'react-router'
import { expect, test } from 'vitest'
import { ALL_VIDEOS } from './filter.ts'
import { useFilter } from './use-filter.ts'

/** The hook in a router that shows an address when the test says so. */
function renderFilter() {
  const written: string[] = []
  const navigator: Navigator = {
    createHref: () => '',
    go: () => undefined,
    push: () => undefined,
    replace: (to) => void written.push(typeof to === 'string' ? to : (to.search ?? '')),
  }
  let address = ''
  const hook = renderHook(() => useFilter(), {
    wrapper: ({ children }) => (
      <Router location={{ pathname: '/', search: address }} navigator={navigator}>
        {children}
      </Router>
    ),
  })
  const show = (next: string) => {
    address = next
    hook.rerender()
  }
  const choose = async (its: Partial<typeof ALL_VIDEOS>) => {
    act(() => hook.result.current[1]({ ...hook.result.current[0], ...its }))
    const before = written.length
    await waitFor(() => expect(written.length).toBe(before + 1))
    return written.at(-1) ?? ''
  }
  return { filter: () => hook.result.current[0], choose, show }
}

test('a choice stays while the router still shows the address of the one before', async () => {
  const { filter, choose, show } = renderFilter()
  const first = await choose({ isUnused: true })
  const second = await choose({ tag: 'recipe' })
  show(first)
  expect(filter()).toMatchObject({ isUnused: true, tag: 'recipe' })
  show(second)
  expect(filter()).toMatchObject({ isUnused: true, tag: 'recipe' })
})

test('a link to the library without a filter takes the filter away', async () => {
  const { filter, choose, show } = renderFilter()
  show(await choose({ tag: 'recipe' }))
  show('')
  expect(filter()).toEqual(ALL_VIDEOS)
})
