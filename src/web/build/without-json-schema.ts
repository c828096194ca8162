import type { Plugin } from 'vite'

/** Leaves zod's writers of JSON Schema out of the web app: every schema refers to them, and only the API's documentation needs them. */
export const withoutJsonSchema = (): Plugin => ({
  name: 'reelay:without-json-schema',
  apply: 'build',
  transform: (code, id) => (WRITERS.test(id) ? { code: withoutBodies(code), map: null } : null),
})

const WRITERS = /\/node_modules\/zod\/v4\/core\/(?:json-schema-processors|to-json-schema)\.js$/

/** The same exported names; calling one throws. */
export const withoutBodies = (code: string): string =>
  [
    "const missing = () => { throw new Error('JSON Schema is not part of the web app.') }",
    // A schema gets its method when it is made; it throws when called.
    'const maker = () => missing',
    ...[...code.matchAll(EXPORT)].map(([, name = '']) =>
      name.startsWith('create') ? `export const ${name} = maker` : `export const ${name} = missing`,
    ),
  ].join('\n')

const EXPORT = /^export (?:const |function |\{ \w+ as )(\w+)/gm
