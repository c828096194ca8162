import type { Answer, Call } from '../kit/http/serve.ts'
import { json, missingParameter, readParts, signUpRequired, type Caller } from './answers.ts'
import { channelId, etag, uploadsPlaylistId, type Creator, type YouTube } from './state.ts'

export const channelParts = ['id', 'snippet', 'contentDetails', 'status', 'statistics']

/** `GET /youtube/v3/channels?mine=true`: the one channel that was chosen at the link. */
export function listChannels(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  if (query.get('mine') !== 'true') return missingParameter(youtube, 'mine')
  const isEmpty = !creator.has_channel && youtube.settings.get().youtube_no_channel === 'empty'
  if (!creator.has_channel && !isEmpty) return signUpRequired(youtube)
  const parts = readParts(query)
  return json(200, {
    kind: 'youtube#channelListResponse',
    etag: etag(`channels ${creator.username}`),
    pageInfo: { totalResults: isEmpty ? 0 : 1, resultsPerPage: 5 },
    // Without a channel the list itself is missing.
    ...(!isEmpty && { items: [channel(youtube, creator, call.origin, parts)] }),
  })
}

function channel(youtube: YouTube, creator: Creator, origin: string, parts: string[]): object {
  const { username, title, no_handle, long_uploads } = creator
  const picture = { url: `${origin}/avatars/${encodeURIComponent(username)}.svg`, width: 88, height: 88 }
  const videos = youtube.videos.all().filter((video) => video.username === username).length
  const all: Record<string, object> = {
    snippet: {
      title,
      description: '',
      ...(!no_handle && { customUrl: `@${username}` }),
      publishedAt: '2020-01-01T00:00:00Z',
      thumbnails: { default: picture, medium: picture, high: picture },
      localized: { title, description: '' },
    },
    contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsPlaylistId(username) } },
    status: {
      privacyStatus: 'public',
      isLinked: true,
      longUploadsStatus: long_uploads,
      madeForKids: false,
    },
    statistics: {
      viewCount: '0',
      subscriberCount: '0',
      hiddenSubscriberCount: false,
      videoCount: String(videos),
    },
  }
  return {
    kind: 'youtube#channel',
    etag: etag(`channel ${username}`),
    id: channelId(username),
    ...Object.fromEntries(Object.entries(all).filter(([name]) => parts.includes(name))),
  }
}
