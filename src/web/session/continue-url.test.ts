import { expect, test } from 'vitest'
import { allowedContinueUrl } from './continue-url.ts'

const OWN = 'https://reelay.example.com'
const DOMAINS = ['example.org', '192.0.2.7', '192.0.2.7:8080', 'localhost:3000']
const back = (wanted: string | null) => allowedContinueUrl(wanted, OWN, DOMAINS)?.href ?? null

test.each([
  ['our own origin', `${OWN}/dashboard/queue?status=failed#x`],
  ['an authorized domain', 'https://example.org/'],
  ['what is below an authorized domain', 'https://shop.example.org/thanks'],
  ['an authorized IP address', 'http://192.0.2.7:8080/'],
  ['an authorized domain with a port', 'http://localhost:3000/'],
])('a link may lead back to %s', (_name, wanted) => {
  expect(back(wanted)).toBe(wanted)
})

test.each([
  ['nowhere', null],
  ['what is no address', 'not an address'],
  ['a path alone', '/dashboard/overview'],
  ['a script', 'javascript:alert(document.domain)'],
  ['a script in disguise', '  JaVaScRiPt:alert(1)//https://example.org'],
  ['data', 'data:text/html,<script>alert(1)</script>'],
  ['another host', 'https://example.net/'],
  ['a host that only ends alike', 'https://badexample.org/'],
  ['a host that only begins alike', 'https://example.org.example.net/'],
  ['what is below an IP address', 'http://1.192.0.2.7/'],
  ['a host behind a name', 'https://example.org@example.net/'],
  ['an authorized host behind a name', 'https://reelay.example.com@example.org/'],
  ['our host on another port', 'https://reelay.example.com:8443/'],
  ['an authorized host on another port', 'https://example.org:8443/'],
  ['what is below an authorized host, on another port', 'https://shop.example.org:8443/'],
  ['an authorized host and port by another port', 'http://localhost:3001/'],
])('a link may not lead to %s', (_name, wanted) => {
  expect(back(wanted)).toBeNull()
})
