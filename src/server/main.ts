import { flushCompileCache } from 'node:module'
import './runtime/flat-memory.ts'
import './runtime/release-when-idle.ts'

// Imported afterwards, because loading the program already grows the heap.
await import('./start.ts')

// Node writes it when a process ends by itself: a killed server's next start would compile everything again.
flushCompileCache()
