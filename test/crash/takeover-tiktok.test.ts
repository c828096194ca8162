import { postTikTok } from '../publish.ts'
import { describeTakeover } from './takeover-suite.ts'

describeTakeover('tiktok', postTikTok, [
  { at: 'claimed scheduled' },
  { at: 'after save preparing' },
  { at: 'after preparing call' },
  { at: 'after save preparing', skip: 4, bytes: 70_000_000 },
  { at: 'before save committing' },
  { at: 'after save committing' },
  { at: 'after commit' },
  { at: ['after commit', 'after save unconfirmed'] },
  { at: 'after save processing' },
  { at: 'after processing call' },
  { at: 'before save published' },
  { at: 'after save published' },
])
