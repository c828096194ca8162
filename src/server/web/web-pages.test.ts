import { expect, it } from 'vitest'
import { isWebPage } from './web-pages.ts'

it.each([
  '/',
  '/?from=mail',
  '/signup',
  '/SignUp/',
  '/forgotPassword',
  '/__/auth/action?mode=resetPassword&oobCode=a',
  '/dashboard',
  '/dashboard/',
  '/dashboard?x',
  '/dashboard/posts/12?from=mail',
  '/Dashboard/Queue',
  '/dashboard/nowhere',
])('%s is a page of the web app', (url) => expect(isWebPage(url)).toBe(true))

it.each([
  '/metrics',
  '/health',
  '/healthz/',
  '/wp-login.php',
  '/.env',
  '/dashboards',
  '/signup/more',
  '/api/v1/none',
  '/api',
  '/assets/gone.js',
])('%s is no page of the web app', (url) => expect(isWebPage(url)).toBe(false))
