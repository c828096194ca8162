import { expect, it } from 'vitest'
import { readFlags } from './flags.ts'

it.each([
  [[], {}, { hold: false, says: null }],
  [['--hold'], {}, { hold: true, says: null }],
  [['--hold', '--restored'], {}, { hold: true, says: 'restored' }],
  [['--moved'], {}, { hold: false, says: 'moved' }],
  // npm consumes the dashes of `npm start --hold`.
  [[], { npm_config_hold: 'true' }, { hold: true, says: null }],
] as const)('%j with %j', (args, env, flags) => {
  expect(readFlags(args, env)).toEqual(flags)
})

it('an option that is not known stops the start with one line that names the known ones', () => {
  expect(() => readFlags(['--hald'], {})).toThrow(
    'Unknown option --hald: "npm start --" takes --hold, --moved or --restored.',
  )
})

it('two options that contradict each other stop the start', () => {
  expect(() => readFlags(['--moved', '--restored'], {})).toThrow(/give one of them/)
})
