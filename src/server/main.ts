import { flushCompileCache } from 'node:module'
import './start.ts'

// Node writes it when a process ends by itself: a killed server's next start would compile everything again.
flushCompileCache()
