import { postInstagram } from '../publish.ts'
import { describeTakeover } from './takeover-suite.ts'

describeTakeover('instagram', postInstagram, [
  { at: 'claimed scheduled' },
  { at: 'after save preparing' },
  { at: 'after preparing call' },
  { at: 'before save committing' },
  { at: 'after commit' },
  { at: 'before save published' },
  { at: 'after save published' },
])
