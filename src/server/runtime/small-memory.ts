// The first import of the server and of the practice platforms: they take little memory while they work, and give it back when idle.
import './flat-memory.ts'
import { releaseWhenIdle } from './idle-memory.ts'

releaseWhenIdle()
