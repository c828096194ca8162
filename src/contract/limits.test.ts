import { expect, test } from 'vitest'
import { Brand, BrandTitle } from './brands.ts'
import * as limits from './limits.ts'
import { Password, SignUp } from './users.ts'

// The specification's figures; elsewhere each is named.

const wrongWith = (title: string) =>
  BrandTitle.safeParse(title).error?.issues.map((issue) => issue.message) ?? []
const LENGTH = 'Brand name must be between 1 and 50 characters.'
const CHARACTERS = 'Brand name contains invalid characters.'

test('the name of a brand has 1 to 50 characters', () => {
  expect([limits.BRAND_TITLE_MIN_CHARS, limits.BRAND_TITLE_MAX_CHARS]).toEqual([1, 50])
  expect(wrongWith('a')).toEqual([])
  expect(wrongWith('a'.repeat(50))).toEqual([])
  expect(wrongWith('')).toEqual([LENGTH])
  expect(wrongWith('a'.repeat(51))).toEqual([LENGTH])
})

test("the name of a brand takes letters, digits, white space and . , ' - and nothing else", () => {
  expect(wrongWith("O'Neil-Smith, Inc. 42 Bäckerei 東京")).toEqual([])
  for (const sign of '&/\\<>"@#!?:;_+*()[]{}|=%$€~`^') expect(wrongWith(`a${sign}b`)).toEqual([CHARACTERS])
  expect(wrongWith('&'.repeat(51))).toEqual([LENGTH, CHARACTERS])
})

test('a brand has brand_id, title and linkedAccounts', () => {
  expect(Object.keys(Brand.shape)).toEqual(expect.arrayContaining(['brand_id', 'title', 'linkedAccounts']))
  const brand = {
    brand_id: 1,
    title: 'Northwind',
    linkedAccounts: 2,
    timezone: null,
    color: null,
    logo_url: null,
    paused: false,
    paused_until: null,
    created_at: '2026-01-01T00:00:00Z',
  }
  expect(Brand.parse(brand)).toEqual(brand)
})

test('a sign-up holds email, nickname, timezone and password, and drops a confirmation', () => {
  const sent = {
    email: 'ada@example.com',
    nickname: 'Ada',
    timezone: 'Asia/Kathmandu',
    password: 'correct horse',
  }
  expect(Object.keys(SignUp.shape)).toEqual(['email', 'nickname', 'timezone', 'password', 'invitation'])
  expect(SignUp.parse({ ...sent, confirm: 'correct horse' })).toEqual(sent)
})

test('a password has at least 6 characters', () => {
  expect(limits.PASSWORD_MIN_CHARS).toBe(6)
  expect(Password.safeParse('12345').success).toBe(false)
  expect(Password.safeParse('123456').success).toBe(true)
})
