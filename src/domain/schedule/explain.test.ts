import { expect, test } from 'vitest'
import { explainLocal } from './explain.ts'

test.each([
  ['2027-03-28T01:30', 'Europe/Lisbon', '01:30 does not exist on 28 March; 02:30 is used.'],
  ['2027-10-31T01:30', 'Europe/Lisbon', '01:30 happens twice on 31 October; the first is used.'],
  ['2027-03-14T02:30', 'America/New_York', '02:30 does not exist on 14 March; 03:30 is used.'],
  ['2027-11-07T01:30', 'America/New_York', '01:30 happens twice on 7 November; the first is used.'],
  ['2027-10-03T02:30', 'Australia/Sydney', '02:30 does not exist on 3 October; 03:30 is used.'],
  ['2027-04-04T02:30', 'Australia/Sydney', '02:30 happens twice on 4 April; the first is used.'],
  ['2027-10-03T02:15', 'Australia/Lord_Howe', '02:15 does not exist on 3 October; 02:45 is used.'],
  ['2027-04-04T01:45', 'Australia/Lord_Howe', '01:45 happens twice on 4 April; the first is used.'],
  // Morocco sets its clocks back for Ramadan.
  ['2026-02-15T02:30', 'Africa/Casablanca', '02:30 happens twice on 15 February; the first is used.'],
  ['2026-03-22T02:30', 'Africa/Casablanca', '02:30 does not exist on 22 March; 03:30 is used.'],
  ['2011-12-30T12:00', 'Pacific/Apia', '12:00 does not exist on 30 December; 12:00 on 31 December is used.'],
  ['2027-03-28T02:30', 'Europe/Lisbon', null],
  ['2027-02-30T02:30', 'Europe/Lisbon', null],
])('%s in %s: %s', (local, zone, text) => {
  expect(explainLocal(local, zone)).toBe(text)
})
