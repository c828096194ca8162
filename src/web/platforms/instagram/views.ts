/** What Instagram counts as a view (`views` of a reel, insights, 2026-06-18). */
export const instagramView = 'A playback that has started. Replays count again.'
