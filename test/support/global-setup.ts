import { startTestDatabases } from './database.ts'

/** Runs once before every test of a vitest run; what it returns runs once after. */
export default startTestDatabases
