import type { ElementType, Key, ReactElement, ReactNode } from 'react'
import * as react from 'react/jsx-runtime'

export { Fragment, type JSX } from 'react/jsx-runtime'

// A browser that translates the page replaces each text node, which React goes on holding: it then crashes when it inserts or
// removes beside that text, and what it writes there is not seen (https://github.com/facebook/react/issues/11538). An element
// whose only child is a text is safe, as React sets its `textContent`. These are the functions that JSX is compiled to: they
// give a text that is not alone an element of its own.

type Props = { readonly children?: ReactNode }
type Text = string | number | bigint

export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  const { children } = props
  // A fragment is no element: its text would stand bare in whatever is around it.
  if (type === react.Fragment && isText(children))
    return react.jsx(type, { ...props, children: giveElement(String(children)) }, key)
  return react.jsx(type, props, key)
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  const { children } = props
  if (!Array.isArray(children) || !children.some(isText)) return react.jsxs(type, props, key)
  const isAllText = children.every((child) => isText(child) || isNothing(child))
  return isAllText
    ? jsx(type, { ...props, children: children.filter(isText).join('') }, key)
    : react.jsxs(type, { ...props, children: separateTexts(children) }, key)
}

/** Development uses this for both. */
export const jsxDEV = (
  type: ElementType,
  props: Props,
  key: Key | undefined,
  isStatic: boolean,
): ReactElement => (isStatic ? jsxs : jsx)(type, props, key)

/** Adjacent texts become one element. Every other child keeps its position, and thereby its state. */
function separateTexts(children: readonly ReactNode[]): ReactNode[] {
  const separated: ReactNode[] = []
  let [first, text] = [-1, '']
  for (const child of children) {
    if (!isText(child)) {
      if (!isNothing(child)) [first, text] = [-1, '']
      separated.push(child)
      continue
    }
    separated.push(null)
    if (first === -1) first = separated.length - 1
    text += String(child)
    separated[first] = giveElement(text)
  }
  return separated
}

/** Space at its ends stays outside: nobody translates it, and alone in an element it would take room in a flex box. */
function giveElement(text: string): ReactNode {
  const trimmed = text.trim()
  if (trimmed === '') return text
  const element = react.jsx('span', { children: trimmed })
  const [before, after] = text.split(trimmed, 2)
  return text === trimmed ? element : react.jsxs(react.Fragment, { children: [before, element, after] })
}

const isText = (child: unknown): child is Text =>
  (typeof child === 'string' && child !== '') || typeof child === 'number' || typeof child === 'bigint'

const isNothing = (child: unknown): boolean => child == null || typeof child === 'boolean' || child === ''
