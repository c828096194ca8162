import { expect, test } from 'vitest'
import { practiceEnv } from './practice.ts'

test('the practice process gets only the environment variables it needs', () => {
  const env = { PATH: '/bin', SECRET_KEY: 's', DATABASE_URL: 'd', TIKTOK_CLIENT_SECRET: 't', SMTP_URL: 'm' }
  expect(practiceEnv(env)).toEqual({ PATH: '/bin' })
})
