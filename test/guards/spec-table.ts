/** The guard's view of the repository. */
export type TestServer = {
  /** True if the repository has this file or folder. */
  readonly has: (path: string) => boolean
  /** The source of a file; null: none. */
  readonly read: (path: string) => string | null
}

const VERDICT = /^(kept|mended|exceeded)((?: R\d+,?)*)$/
/** Any number of `path` :: `test name`. */
const PROOF = /^`([^`]+)` :: `([^`]+)`$/

/**
 * Reads `docs/spec.md`: a table of rulings (first column `R1`) and tables of statements (first column `2.14`). @returns a
 * sentence for each fault; none: every row is proved by an existing test
 */
export function findFaults(text: string, testServer: TestServer): string[] {
  const rows = tableRows(text)
  const rulings = rows.filter(([first = '']) => /^R\d+$/.test(first))
  const statements = rows.filter(([first = '']) => /^\d+\.\d+$/.test(first))
  const known = new Set(rulings.map(([number]) => number))
  const strays = rows.filter((row) => !rulings.includes(row) && !statements.includes(row))
  const called = statements.flatMap(([, , verdict = '']) => verdict.match(/R\d+/g) ?? [])
  return [
    ...strays.map(([first]) => `${first}: neither a ruling nor a numbered statement`),
    ...twice([...rulings, ...statements].map(([number = '']) => number)),
    ...rulings.flatMap((row) => rulingFaults(row, testServer)),
    ...[...known]
      .filter((ruling = '') => !called.includes(ruling))
      .map((ruling) => `${ruling}: no row names it`),
    ...statements.flatMap((row) => statementFaults(row, known, testServer)),
  ]
}

/** The cells of every row of every table, without heads and rules. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n')
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    )
}

const isRule = (line: string): boolean => /^\|[\s|:-]+\|$/.test(line)

function twice(numbers: readonly string[]): string[] {
  return numbers
    .filter((number, index) => numbers.indexOf(number) !== index)
    .map((number) => `${number}: stands twice`)
}

function rulingFaults(row: readonly string[], testServer: TestServer): string[] {
  const [number = '', , , , proof = ''] = row
  if (row.length !== 5) return [`${number}: has ${row.length} columns in place of 5`]
  return proofFaults(number, proof, testServer)
}

function statementFaults(
  row: readonly string[],
  known: ReadonlySet<string | undefined>,
  testServer: TestServer,
): string[] {
  const [number = '', statement = '', verdict = '', places = '', proof = ''] = row
  if (row.length !== 5) return [`${number}: has ${row.length} columns in place of 5`]
  return [
    ...(statement === '' ? [`${number}: states nothing`] : []),
    ...verdictFaults(number, verdict, known),
    ...placeFaults(number, places, testServer),
    ...proofFaults(number, proof, testServer),
  ]
}

function verdictFaults(number: string, verdict: string, known: ReadonlySet<string | undefined>): string[] {
  const [, word, named] = VERDICT.exec(verdict) ?? []
  if (word === undefined) return [`${number}: "${verdict}" is no verdict`]
  const rulings = named?.match(/R\d+/g) ?? []
  if (word !== 'kept' && rulings.length === 0) return [`${number}: is ${word} without a ruling`]
  return rulings
    .filter((ruling) => !known.has(ruling))
    .map((ruling) => `${number}: there is no ruling ${ruling}`)
}

function placeFaults(number: string, places: string, testServer: TestServer): string[] {
  const named = [...places.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
  if (named.length === 0) return [`${number}: does not say where it lives`]
  return named
    .filter((path) => !testServer.has(path))
    .map((path) => `${number}: lives in ${path}, which is not there`)
}

function proofFaults(number: string, cell: string, testServer: TestServer): string[] {
  return cell.split('<br>').flatMap((proof) => {
    const [, path, name] = PROOF.exec(proof.trim()) ?? []
    if (path === undefined || name === undefined) return [`${number}: "${proof}" names no test`]
    const source = testServer.read(path)
    if (source === null) return [`${number}: there is no file ${path}`]
    return hasTest(source, name) ? [] : [`${number}: ${path} has no test "${name}"`]
  })
}

/**
 * True if a source has a test of this name. A title's variables (`${platform}`, `%s`, `$id`) match any text in the source,
 * so that a row of a test table can be named only while the table has it.
 */
export function hasTest(source: string, name: string): boolean {
  const written = source.replaceAll(/(?<=\d)_(?=\d)/g, '')
  return testTitles(source).some((title) => {
    const [whole, ...variables] = title.exec(name) ?? []
    return whole !== undefined && variables.every((variable) => written.includes(variable))
  })
}

/** The beginning of a title: `test('…`, `it.skipIf(…)(`, `test.each([…])('…`. Skipped and todo tests prove nothing. */
const TITLE =
  /(?:(?<![\w.])(?:test|it)(?!\.(?:skip|todo|fixme|fails|describe|step)\b)(?:\.\w+)*\(|(?<![\w.])(?:test|it)\.each\([^\n]*\)\(|^\s*\](?: as const)?\)\()\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/gm

/** The titles of a source's tests, with a group for each variable. Titles of variables alone are ignored. */
function testTitles(source: string): RegExp[] {
  return [...source.matchAll(TITLE)].flatMap(([, single, double, template]) => {
    const title = (single ?? double ?? template ?? '').replaceAll(/\\(.)/g, '$1')
    const parts = title.split(template === undefined ? /%[sdifjoO]|\$[\w.]+/ : /\$\{[^}]*\}/)
    if (!/\p{L}{2}/u.test(parts.join(''))) return []
    return [new RegExp(`^${parts.map(literally).join('(.*)')}$`)]
  })
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
