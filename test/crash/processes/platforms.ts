// The practice platforms in a process of their own, which may be killed at any moment.
import { flushCompileCache } from 'node:module'
import '#simulators/main.ts'

// Whoever is killed writes none, and the next one would compile all of it again.
flushCompileCache()
