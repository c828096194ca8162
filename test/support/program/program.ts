import { inject } from 'vitest'

const { main, compiled } = inject('program')

/** The server as `npm start` runs it, of today's sources. */
export const PROGRAM: string = main
/** For its environment: where Node keeps what it has compiled of it. */
export const PROGRAM_ENV = { NODE_COMPILE_CACHE: compiled }
