/** Apart from `texts.ts`, which every page loads. */
export const INVITED_ONLY =
  'You need an invitation to sign up here. Ask the person who runs this server for one.'
