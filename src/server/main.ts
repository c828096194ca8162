import { flushCompileCache } from 'node:module'
import './runtime/small-memory.ts'

// Imported afterwards, because loading the program already grows the heap.
await import('./start.ts')

// Node writes it when a process ends by itself: a killed server's next start would compile everything again.
flushCompileCache()
