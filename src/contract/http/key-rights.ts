/** What the API is about, in the order of its documentation. An API key reaches only those kinds that were there when it was made. */
export const TAGS = [
  'Posts',
  'Deliveries',
  'Results',
  'Videos',
  'Pictures',
  'Drafts',
  'Presets',
  'Accounts',
  'Brands',
  'Posting schedules',
  'Notifications',
  'API keys',
  'Webhooks',
  'Users',
  'Settings',
  'Server',
] as const
export type Tag = (typeof TAGS)[number]

/** What an API key may be allowed to do. `publish` is what makes posts, or makes one go out otherwise or earlier. */
export const KEY_SCOPES = ['read', 'write', 'publish'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]
