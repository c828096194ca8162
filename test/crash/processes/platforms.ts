// The practice platforms in a process of their own, which may be killed at any moment.
import { flushCompileCache } from 'node:module'
import '#simulators/main.ts'

// A killed process writes no compile cache, and the next one would compile everything again.
flushCompileCache()
