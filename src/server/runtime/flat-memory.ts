import { setFlagsFromString } from 'node:v8'

// Keeps V8's young generation at its initial size. It would grow to 32 MB under a fast upload, and every dead chunk in it holds
// its bytes outside the heap until collected. `npm run bench`: half the memory at the same speed.
setFlagsFromString('--semi-space-growth-factor=1')
