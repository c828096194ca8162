import { expect, test } from 'vitest'
import { readUsage } from './usage.ts'

const business = (...entries: readonly object[]): string => JSON.stringify({ '17841400000000001': entries })

test.each([
  ['nothing', {}, { appPercent: null, accountPercent: null, regainS: 0 }],
  [
    'the highest figure of the app',
    { 'x-app-usage': '{"call_count":28,"total_time":25,"total_cputime":91}' },
    { appPercent: 91, accountPercent: null, regainS: 0 },
  ],
  [
    'the highest figure of the account, and its minutes as seconds',
    {
      'x-business-use-case-usage': business({
        type: 'instagram',
        call_count: 100,
        total_cputime: 25,
        total_time: 25,
        estimated_time_to_regain_access: 19,
      }),
    },
    { appPercent: null, accountPercent: 100, regainS: 1140 },
  ],
  [
    'the busiest of several',
    {
      'x-business-use-case-usage': JSON.stringify({
        '1': [{ type: 'instagram', call_count: 12 }],
        '2': [{ type: 'instagram', call_count: 81, estimated_time_to_regain_access: 2 }],
      }),
    },
    { appPercent: null, accountPercent: 81, regainS: 120 },
  ],
  [
    'nothing of other products',
    {
      'x-business-use-case-usage': business({
        type: 'ads_insights',
        call_count: 99,
        estimated_time_to_regain_access: 9,
      }),
    },
    { appPercent: null, accountPercent: null, regainS: 0 },
  ],
  [
    'both',
    { 'x-app-usage': '{"call_count":3}', 'x-business-use-case-usage': business({ call_count: 4 }) },
    { appPercent: 3, accountPercent: 4, regainS: 0 },
  ],
  [
    'nothing of what cannot be read',
    { 'x-app-usage': 'soon', 'x-business-use-case-usage': '{"1":"many"}' },
    { appPercent: null, accountPercent: null, regainS: 0 },
  ],
] as const)('%s is read from the usage headers', (_name, headers, usage) => {
  expect(readUsage(new Headers({ ...headers }))).toEqual(usage)
})
