import './runtime/flat-memory.ts'

// Imported afterwards, because loading the program already grows the heap.
await import('./start.ts')
