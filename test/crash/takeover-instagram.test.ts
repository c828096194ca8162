import { postInstagram } from '../publish.ts'
import { describeTakeover } from './takeover-suite.ts'

describeTakeover('instagram', postInstagram, [
  { at: 'claimed scheduled' },
  { at: 'after save preparing' },
  { at: 'after preparing call' },
  { at: 'before save committing' },
  // The container reads as unpublished, but only after two minutes of that is the call known not to have gone out.
  { at: 'after save committing', reaches: 'unconfirmed' },
  { at: 'after commit' },
  { at: ['after commit', 'after save unconfirmed'] },
  { at: 'before save published' },
  { at: 'after save published' },
])
