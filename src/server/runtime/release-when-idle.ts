import { releaseWhenIdle } from './idle-memory.ts'

releaseWhenIdle()
