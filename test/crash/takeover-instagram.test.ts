import { postInstagram } from '../publish.ts'
import { describeTakeover } from './takeover-suite.ts'

describeTakeover('instagram', postInstagram, [
  { at: 'claimed scheduled' },
  { at: 'before preparing call' },
  { at: 'after save preparing' },
  { at: 'after preparing call' },
  { at: 'before save committing' },
  // The call never went out, which the container shows by reading FINISHED for a while.
  { at: 'after save committing' },
  { at: ['after save committing', 'after save committing'] },
  { at: 'after commit' },
  { at: ['after commit', 'after save unconfirmed'] },
  { at: 'before save published' },
  { at: 'after save published' },
])
