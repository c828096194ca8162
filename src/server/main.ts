import './runtime/flat-memory.ts'

// Only now, because reading the rest of the program would already have made that space grow.
await import('./start.ts')
