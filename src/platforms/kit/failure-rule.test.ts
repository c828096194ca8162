import { expect, test } from 'vitest'
import { excerpt, redact, unexpectedFailure } from './failure-rule.ts'

test.each([
  ['{"access_token":"act.abc123","expires_in":1}', 'act.abc123'],
  ['access_token=IGAAabc&x=1', 'IGAAabc'],
  ['bad token rft.XyZ*12!3.va here', 'XyZ*12'],
  ['PUT https://open-upload.tiktokapis.com/upload?upload_id=1&upload_token=uuid failed', 'uuid'],
  ['"client_secret": "s3cr3t"', 's3cr3t'],
  ['code=AbCdEf0123456789xyz', 'AbCdEf0123456789xyz'],
  ['token IGQWRPabcdefghijklmnopqrstuvwxyz0123456789', 'IGQWRPabcdefghijklmnopqrstuvwxyz0123456789'],
])('%s is shown without its secret', (text, secret) => {
  expect(redact(text)).not.toContain(secret)
})

test('error codes, sentences and support ids stay readable', () => {
  const text = 'error code 190 {"code":190,"error_subcode":463} (log_id 202611200000ABCDEF0123456789ABCD)'
  expect(redact(text)).toBe(text)
  expect(redact('publish v_pub_file~v2-1.7600000000000000001')).toContain('7600000000000000001')
})

test('an excerpt is one short line', () => {
  const told = excerpt(`<html>\n  <body>${'very long '.repeat(100)}`)
  expect(told).not.toContain('\n')
  expect(told.length).toBeLessThanOrEqual(300)
})

test('an unknown answer keeps its status and the raw code', () => {
  expect(unexpectedFailure('TikTok', { status: 418, code: 'teapot', text: 'short and stout' })).toMatchObject(
    {
      kind: 'unexpected',
      status: 418,
      reason: { code: 'teapot', detail: 'short and stout' },
    },
  )
})
