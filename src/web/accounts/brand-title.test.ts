import { describe, expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { failureText, forbiddenIn, titleProblem, withoutForbidden, withPlainMarks } from './brand-title.ts'

describe('the name of a brand', () => {
  test('takes letters of any script, digits, spaces and . , apostrophe and hyphen', () => {
    expect(titleProblem('Pão, Co.')).toBeNull()
    expect(titleProblem("Bäckerei O'Neil-2")).toBeNull()
  })

  test('may have 1 to 50 characters', () => {
    expect([titleProblem('a'), titleProblem('a'.repeat(50))]).toEqual([null, null])
    expect([titleProblem(''), titleProblem('a'.repeat(51))]).toEqual([TEXTS.brandLength, TEXTS.brandLength])
  })

  test('is refused when empty, too long or with other characters', () => {
    expect(titleProblem('   ')).toBe(TEXTS.brandLength)
    expect(titleProblem('a'.repeat(51))).toBe(TEXTS.brandLength)
    expect(titleProblem('a@b')).toBe(TEXTS.brandCharacters)
  })

  test('lists every fault at once, joined by a space', () => {
    expect(titleProblem('@'.repeat(51))).toBe(`${TEXTS.brandLength} ${TEXTS.brandCharacters}`)
  })
})

describe('a name that people have', () => {
  test.each([
    ['H&M', ['&'], 'HM'],
    ['Nord (Hamburg)', ['(', ')'], 'Nord Hamburg'],
    ['Café 👩‍🍳 & Tea', ['👩‍🍳', '&'], 'Café Tea'],
    ['Café', [], 'Café'],
  ])('%s has %j too many: %s', (title, forbidden, proposed) => {
    expect(forbiddenIn(title)).toEqual(forbidden)
    expect(withoutForbidden(title)).toBe(proposed)
    expect(titleProblem(proposed)).toBeNull()
  })

  test('gets the apostrophe and the hyphen of a keyboard', () => {
    expect(withPlainMarks('O’Neill, Tea – Café')).toBe("O'Neill, Tea - Café")
  })
})

const refused = (errors: Record<string, string[]>, message: string) =>
  new ApiProblem({ kind: 'refused', code: 'invalid', message, errors })

describe('a refused name', () => {
  test("shows the server's first title error before its message", () => {
    expect(failureText(refused({ title: ['Taken.', 'Long.'] }, 'Invalid.'), 'Fallback.')).toBe('Taken.')
  })

  test('shows the message without a title error, and the fixed text without a message', () => {
    expect(failureText(refused({}, 'Invalid.'), TEXTS.brandCreateFailed)).toBe('Invalid.')
    expect(failureText(new Error(''), TEXTS.brandCreateFailed)).toBe(
      'Failed to create brand, please try again later or contact support.',
    )
    expect(failureText(new Error(''), TEXTS.brandSaveFailed)).toBe(
      'Error saving brand, please try again later or contact support if the problem persists',
    )
  })
})
