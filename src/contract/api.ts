import { z } from 'zod'
import { Account, LinkFinish, LinkStart } from './accounts.ts'
import { Brand, BrandTitle } from './brands.ts'
import { Delivery, DeliveryEvent } from './deliveries.ts'
import { endpoint } from './endpoint.ts'
import { Help } from './help.ts'
import { AccountId, BrandId, DeliveryId, PostId, VideoId } from './ids.ts'
import {
  POSTER_MAX_BYTES,
  POSTS_COUNTED_MAX,
  POSTS_PAGE_MAX,
  POSTS_PAGE_SIZE,
  VIDEO_MAX_BYTES,
} from './limits.ts'
import { Overview } from './overview.ts'
import { AccountNow, PlatformId } from './platforms/index.ts'
import { INSTAGRAM_FORM_MAX_BYTES, InstagramPostInfo } from './platforms/instagram.ts'
import { TikTokPostInfo, TikTokSourceInfo } from './platforms/tiktok.ts'
import {
  CancelPosts,
  IdempotencyKey,
  NewPost,
  POST_COUNTS,
  Post,
  PostDetail,
  PostFilter,
  WaitingPosts,
} from './posts.ts'
import { Settings } from './settings.ts'
import { TEXTS } from './texts.ts'
import { Nickname, SignUp, TimeZone, User } from './users.ts'
import { Video } from './videos.ts'

const nothing = z.void()
const byBrand = z.object({ brandId: BrandId })
const onPlatform = z.object({ platform: PlatformId })

/** Every call of the API, under `/api/v1`. */
export const API = {
  getSettings: endpoint({
    method: 'GET',
    path: '/settings',
    tag: 'Settings',
    summary: 'What a client needs to know before anybody has signed in',
    auth: 'none',
    status: 200,
    reply: Settings,
    problems: [],
  }),
  getHelp: endpoint({
    method: 'GET',
    path: '/help',
    tag: 'Settings',
    summary: 'How each platform is set up here, and every failure that can be foreseen, with what to do',
    auth: 'none',
    status: 200,
    reply: Help,
    problems: [],
  }),

  createUser: endpoint({
    method: 'POST',
    path: '/users',
    tag: 'Users',
    summary: 'Sign up',
    auth: 'none',
    body: SignUp,
    status: 201,
    reply: User,
    problems: ['invalid', 'signup_closed', 'email_taken'],
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/user',
    tag: 'Users',
    summary: 'The signed-in user',
    auth: 'bearer',
    status: 200,
    reply: User,
    problems: [],
  }),
  setNickname: endpoint({
    method: 'PUT',
    path: '/users/nickname',
    tag: 'Users',
    summary: 'Change the nickname',
    auth: 'bearer',
    body: z.object({ nickname: Nickname }),
    status: 200,
    reply: User,
    problems: ['invalid'],
  }),
  setTimezone: endpoint({
    method: 'PUT',
    path: '/users/timezone',
    tag: 'Users',
    summary: 'Change the time zone',
    auth: 'bearer',
    body: z.object({ timezone: TimeZone }),
    status: 200,
    reply: User,
    problems: ['invalid'],
  }),

  deleteUser: endpoint({
    method: 'DELETE',
    path: '/user',
    tag: 'Users',
    summary:
      'Delete the signed-in user with everything that is theirs, videos and access to their accounts included; needs a log-in within the last five minutes. What is on its way to a platform may still appear there',
    auth: 'bearer',
    status: 204,
    reply: nothing,
    problems: ['login_again', 'forbidden'],
  }),
  signOutEverywhere: endpoint({
    method: 'POST',
    path: '/user/sign-out-everywhere',
    tag: 'Users',
    summary: 'End every session of the signed-in user, this one included',
    auth: 'bearer',
    status: 204,
    reply: nothing,
    problems: ['not_offered'],
  }),

  listBrands: endpoint({
    method: 'GET',
    path: '/brands',
    tag: 'Brands',
    summary: 'The brands, oldest first',
    auth: 'bearer',
    status: 200,
    reply: z.array(Brand),
    problems: [],
  }),
  createBrand: endpoint({
    method: 'POST',
    path: '/brands',
    tag: 'Brands',
    summary: 'Create a brand',
    auth: 'bearer',
    body: z.object({ title: BrandTitle }),
    status: 201,
    reply: Brand,
    problems: ['invalid'],
  }),
  renameBrand: endpoint({
    method: 'PUT',
    path: '/brands',
    tag: 'Brands',
    summary: 'Rename a brand',
    auth: 'bearer',
    body: z.object({ brand_id: BrandId, title: BrandTitle }),
    status: 200,
    reply: Brand,
    problems: ['invalid', 'not_found'],
  }),
  deleteBrand: endpoint({
    method: 'DELETE',
    path: '/brands/:brandId',
    tag: 'Brands',
    summary:
      'Delete a brand and unlink its accounts; refused while one of them is publishing, and while posts wait for them unless their number is given',
    auth: 'bearer',
    params: byBrand,
    query: CancelPosts,
    status: 204,
    reply: nothing,
    problems: ['not_found', 'in_flight', 'posts_waiting'],
  }),
  getBrandWaiting: endpoint({
    method: 'GET',
    path: '/brands/:brandId/waiting-posts',
    tag: 'Brands',
    summary:
      'How many posts would not go out if the brand were deleted, and when the first and the last of them would',
    auth: 'bearer',
    params: byBrand,
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),

  listAccounts: endpoint({
    method: 'GET',
    path: '/accounts',
    tag: 'Accounts',
    summary: 'The linked accounts, of one brand or of all',
    auth: 'bearer',
    query: z.object({ brandId: BrandId.optional() }),
    status: 200,
    reply: z.array(Account),
    problems: ['not_found'],
  }),
  getAccountOptions: endpoint({
    method: 'GET',
    path: '/accounts/:accountId/options',
    tag: 'Accounts',
    summary: 'What the platform lets this account choose now',
    auth: 'bearer',
    params: z.object({ accountId: AccountId }),
    status: 200,
    reply: AccountNow,
    problems: ['not_found', 'conflict', 'platform_refused', 'platform_failed', 'platform_off'],
  }),
  unlinkAccount: endpoint({
    method: 'DELETE',
    path: '/accounts/:accountId',
    tag: 'Accounts',
    summary:
      'Unlink an account; refused while it is publishing, and while posts wait for it unless their number is given',
    auth: 'bearer',
    params: z.object({ accountId: AccountId }),
    query: CancelPosts,
    status: 204,
    reply: nothing,
    problems: ['not_found', 'in_flight', 'posts_waiting'],
  }),
  getAccountWaiting: endpoint({
    method: 'GET',
    path: '/accounts/:accountId/waiting-posts',
    tag: 'Accounts',
    summary:
      'How many posts to the account would not go out if it were unlinked, and when the first and the last of them would',
    auth: 'bearer',
    params: z.object({ accountId: AccountId }),
    status: 200,
    reply: WaitingPosts,
    problems: ['not_found'],
  }),
  startLink: endpoint({
    method: 'POST',
    path: '/platforms/:platform/authorize',
    tag: 'Accounts',
    summary: "Start linking an account: the platform's consent page and a one-time state",
    auth: 'bearer',
    params: onPlatform,
    body: z.object({
      brand_id: BrandId,
      account_id: AccountId.optional().describe('To link this very account again.'),
    }),
    status: 200,
    reply: LinkStart,
    problems: ['not_found', 'invalid', 'platform_off'],
  }),
  finishLink: endpoint({
    method: 'POST',
    path: '/platforms/:platform/login',
    tag: 'Accounts',
    summary: 'Finish linking an account with the code that the platform sent back',
    auth: 'bearer',
    params: onPlatform,
    body: LinkFinish,
    status: 200,
    reply: Account,
    problems: ['invalid', 'link_refused', 'already_linked', 'conflict', 'platform_failed', 'platform_off'],
  }),

  uploadVideo: endpoint({
    method: 'POST',
    path: '/videos',
    tag: 'Videos',
    summary: 'Upload a video to use in posts',
    auth: 'bearer',
    file: {
      field: 'file',
      description: 'The video, up to 4 GB.',
      maxBytes: VIDEO_MAX_BYTES,
      missing: TEXTS.chooseVideo,
      tooLarge: TEXTS.videoTooLarge,
    },
    body: z.object({}),
    status: 201,
    reply: Video,
    problems: ['invalid', 'too_large', 'unsupported_media'],
  }),
  listVideos: endpoint({
    method: 'GET',
    path: '/videos',
    tag: 'Videos',
    summary: 'The uploaded videos, newest first',
    auth: 'bearer',
    status: 200,
    reply: z.array(Video),
    problems: [],
  }),
  deleteVideo: endpoint({
    method: 'DELETE',
    path: '/videos/:videoId',
    tag: 'Videos',
    summary: 'Delete a video; refused while a post still needs it',
    auth: 'bearer',
    params: z.object({ videoId: VideoId }),
    status: 204,
    reply: nothing,
    problems: ['not_found', 'in_flight'],
  }),

  setVideoPoster: endpoint({
    method: 'PUT',
    path: '/videos/:videoId/poster',
    tag: 'Videos',
    summary: 'Give a video the picture that stands for it in lists; an earlier one goes',
    auth: 'bearer',
    params: z.object({ videoId: VideoId }),
    file: {
      field: 'poster',
      description: 'A JPEG or WebP picture, up to 256 KiB.',
      maxBytes: POSTER_MAX_BYTES,
      missing: TEXTS.choosePoster,
      tooLarge: TEXTS.posterTooLarge,
    },
    body: z.object({}),
    status: 200,
    reply: Video,
    problems: ['invalid', 'not_found', 'too_large', 'unsupported_media'],
  }),

  postTikTokVideo: endpoint({
    method: 'POST',
    path: '/platforms/tiktok/video',
    tag: 'Posts',
    summary: 'Post one video to one TikTok account, now',
    auth: 'bearer',
    file: {
      field: 'videoFile',
      description: 'The video: MP4, MOV or WebM, up to 4 GB.',
      maxBytes: VIDEO_MAX_BYTES,
      missing: TEXTS.chooseVideo,
      tooLarge: TEXTS.videoTooLarge,
    },
    body: z.object({ post_info: TikTokPostInfo, source_info: TikTokSourceInfo, accountId: AccountId }),
    idempotent: true,
    status: 202,
    reply: Post,
    problems: ['invalid', 'not_found', 'too_large', 'unsupported_media', 'conflict', 'platform_off'],
  }),
  postInstagramMedia: endpoint({
    method: 'POST',
    path: '/platforms/instagram/media',
    tag: 'Posts',
    summary: 'Post one video to one Instagram account, now',
    auth: 'bearer',
    file: {
      field: 'video',
      description: 'The video: MP4 or MOV, under 100 MB.',
      maxBytes: INSTAGRAM_FORM_MAX_BYTES - 1,
      missing: TEXTS.chooseVideo,
      tooLarge: TEXTS.instagramTooLarge,
    },
    body: z.object({ post_info: InstagramPostInfo, accountId: AccountId }),
    idempotent: true,
    status: 202,
    reply: Post,
    problems: ['invalid', 'not_found', 'too_large', 'unsupported_media', 'conflict', 'platform_off'],
  }),
  createPost: endpoint({
    method: 'POST',
    path: '/posts',
    tag: 'Posts',
    summary: 'Post an uploaded video to one or more accounts, now or later',
    auth: 'bearer',
    body: NewPost,
    idempotent: true,
    status: 201,
    reply: Post,
    problems: ['invalid', 'not_found', 'conflict', 'platform_off'],
  }),
  listPosts: endpoint({
    method: 'GET',
    path: '/posts',
    tag: 'Posts',
    summary:
      'The posts by when they go out, each with what became of it: first what is still open, soonest first, then what is settled, latest first',
    auth: 'bearer',
    query: z.object({
      status: PostFilter.default('all'),
      brandId: BrandId.optional(),
      cursor: z.string().max(64).optional(),
      limit: z.coerce.number().int().min(1).max(POSTS_PAGE_MAX).default(POSTS_PAGE_SIZE),
    }),
    status: 200,
    reply: z.object({
      items: z.array(Post),
      next_cursor: z.string().nullable(),
      counts: z
        .record(z.enum(POST_COUNTS), z.int())
        .describe(`Posts under each filter; ${POSTS_COUNTED_MAX} stands for so many or more.`),
    }),
    problems: ['not_found'],
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/posts/:postId',
    tag: 'Posts',
    summary: 'One post with its timeline',
    auth: 'bearer',
    params: z.object({ postId: PostId }),
    status: 200,
    reply: PostDetail,
    problems: ['not_found'],
  }),
  deletePost: endpoint({
    method: 'DELETE',
    path: '/posts/:postId',
    tag: 'Posts',
    summary:
      'Delete a post from the lists. What waits is cancelled, what is live stays on its platform; refused while it may be going out',
    auth: 'bearer',
    params: z.object({ postId: PostId }),
    status: 204,
    reply: nothing,
    problems: ['not_found', 'in_flight'],
  }),
  withdrawPost: endpoint({
    method: 'POST',
    path: '/posts/withdraw',
    tag: 'Posts',
    summary:
      'Take back what was sent with an Idempotency-Key: what arrives with it from now on makes no post, and one that it made is cancelled as far as nothing of it can be out',
    auth: 'bearer',
    body: z.object({
      idempotency_key: IdempotencyKey,
      keep_post: z
        .boolean()
        .default(false)
        .describe(
          'true: a post that the key has made stays as it is; only a key that made none is taken back.',
        ),
    }),
    status: 200,
    reply: z.object({
      post: Post.nullable().describe(
        'What the key had made, as it is now. null: nothing, and nothing will be.',
      ),
    }),
    problems: ['invalid'],
  }),

  getOverview: endpoint({
    method: 'GET',
    path: '/overview',
    tag: 'Posts',
    summary: 'How things stand: first steps, what needs attention, what goes out next, the last two weeks',
    auth: 'bearer',
    status: 200,
    reply: Overview,
    problems: [],
  }),

  retryDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/retry',
    tag: 'Deliveries',
    summary: 'Try a failed or held delivery again',
    auth: 'bearer',
    params: z.object({ deliveryId: DeliveryId }),
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  cancelDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/cancel',
    tag: 'Deliveries',
    summary: 'Cancel a delivery that has not gone out',
    auth: 'bearer',
    params: z.object({ deliveryId: DeliveryId }),
    status: 200,
    reply: Delivery,
    problems: ['not_found', 'conflict'],
  }),
  resolveDelivery: endpoint({
    method: 'POST',
    path: '/deliveries/:deliveryId/resolve',
    tag: 'Deliveries',
    summary: 'Say whether an unconfirmed delivery is live; `not_live` sends it again',
    auth: 'bearer',
    params: z.object({ deliveryId: DeliveryId }),
    body: z.object({ outcome: z.enum(['live', 'not_live']) }),
    status: 200,
    reply: Delivery,
    problems: ['invalid', 'not_found', 'conflict'],
  }),

  streamEvents: endpoint({
    method: 'GET',
    path: '/events',
    tag: 'Deliveries',
    summary: "Server-sent events: every change of the user's deliveries as it happens",
    auth: 'bearer',
    stream: true,
    status: 200,
    reply: z.object({
      event: DeliveryEvent.nullable().describe('null: only the progress moved.'),
      delivery: Delivery,
    }),
    problems: [],
  }),
} as const

export type Api = typeof API
export type EndpointName = keyof Api
