import type { Answer, Call } from '../kit/http/serve.ts'
import { json, missingParameter, type Caller } from './answers.ts'
import { channelId, etag, type YouTube } from './state.ts'

interface Category {
  id: string
  title: string
  assignable: boolean
}

const categories: Category[] = [
  { id: '1', title: 'Film & Animation', assignable: true },
  { id: '2', title: 'Autos & Vehicles', assignable: true },
  { id: '10', title: 'Music', assignable: true },
  { id: '15', title: 'Pets & Animals', assignable: true },
  { id: '17', title: 'Sports', assignable: true },
  { id: '18', title: 'Short Movies', assignable: false },
  { id: '19', title: 'Travel & Events', assignable: true },
  { id: '20', title: 'Gaming', assignable: true },
  { id: '21', title: 'Videoblogging', assignable: false },
  { id: '22', title: 'People & Blogs', assignable: true },
  { id: '23', title: 'Comedy', assignable: true },
  { id: '24', title: 'Entertainment', assignable: true },
  { id: '25', title: 'News & Politics', assignable: true },
  { id: '26', title: 'Howto & Style', assignable: true },
  { id: '27', title: 'Education', assignable: true },
  { id: '28', title: 'Science & Technology', assignable: true },
  { id: '29', title: 'Nonprofits & Activism', assignable: true },
  { id: '30', title: 'Movies', assignable: false },
]

export const findCategory = (id: string): Category | undefined => categories.find((each) => each.id === id)

/** `GET /youtube/v3/videoCategories?regionCode=`: the same list for every region here. */
export function listCategories(youtube: YouTube, _call: Call, { query }: Caller): Answer {
  const ids = query.get('id')?.split(',')
  const region = query.get('regionCode')
  if (ids === undefined && region === null) return missingParameter(youtube, 'regionCode or id')
  const wanted = ids === undefined ? categories : categories.filter(({ id }) => ids.includes(id))
  return json(200, {
    kind: 'youtube#videoCategoryListResponse',
    etag: etag(`categories ${region ?? ''}`),
    items: wanted.map(({ id, title, assignable }) => ({
      kind: 'youtube#videoCategory',
      etag: etag(`category ${id}`),
      id,
      snippet: { title, assignable, channelId: channelId('youtube') },
    })),
  })
}
