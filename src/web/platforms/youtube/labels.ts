import {
  type YOUTUBE_CATEGORY_IDS,
  type YOUTUBE_LICENSES,
  type YouTubePrivacy,
} from '#contract/platforms/youtube.ts'

export const PRIVACY_LABELS: Record<YouTubePrivacy, string> = {
  public: 'Public',
  unlisted: 'Unlisted',
  private: 'Private',
}

export const LICENSE_LABELS: Record<(typeof YOUTUBE_LICENSES)[number], string> = {
  youtube: 'Standard YouTube licence',
  creativeCommon: 'Creative Commons: others may reuse it',
}

const CATEGORY_LABELS: Record<(typeof YOUTUBE_CATEGORY_IDS)[number], string> = {
  '1': 'Film & Animation',
  '2': 'Autos & Vehicles',
  '10': 'Music',
  '15': 'Pets & Animals',
  '17': 'Sports',
  '19': 'Travel & Events',
  '20': 'Gaming',
  '22': 'People & Blogs',
  '23': 'Comedy',
  '24': 'Entertainment',
  '25': 'News & Politics',
  '26': 'Howto & Style',
  '27': 'Education',
  '28': 'Science & Technology',
  '29': 'Nonprofits & Activism',
}

/** In the order of the alphabet. */
export const CATEGORIES = Object.entries(CATEGORY_LABELS)
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label))

/** Developer Policies III.A (2026-06-24) and Required Minimum Functionality (2026-09-11) demand these links. */
export const YOUTUBE_TERMS_URL = 'https://www.youtube.com/t/terms'
export const YOUTUBE_GUIDELINES_URL = 'https://www.youtube.com/howyoutubeworks/policies/community-guidelines/'
export const GOOGLE_PRIVACY_URL = 'https://policies.google.com/privacy'
/** The page on which people take access back, as the policies name it. */
export const GOOGLE_PERMISSIONS_URL = 'https://security.google.com/settings/security/permissions'
/** A channel confirms its phone number here, which long videos and own thumbnails need. */
export const YOUTUBE_VERIFY_URL = 'https://www.youtube.com/verify'
