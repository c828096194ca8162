/** What TikTok counts as a view (`view_count`, display API, 2026-08-24). */
export const tiktokView = 'A playback that has started.'
