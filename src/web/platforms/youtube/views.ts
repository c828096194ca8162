/** What YouTube counts as a view (`viewCount`, of every kind of video alike since 2026-08-27). */
export const youtubeView = 'A playback that has started.'
