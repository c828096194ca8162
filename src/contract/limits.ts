/** Every figure that the product promises or enforces. Bytes, milliseconds, characters; the unit is in the name. */

export const BRAND_TITLE_MIN_CHARS = 1
export const BRAND_TITLE_MAX_CHARS = 50
/** Letters and digits of any script, joined as their spelling has it (U+200C, U+200D), white space, and . , ' - */
export const BRAND_TITLE_PATTERN = /^(?:[\p{L}\p{M}\p{N}\s.,'-]|(?<=[\p{L}\p{M}])[\u200c\u200d])*$/u

/** Brands of one user. Lists without pages are bounded by limits like this one; what was above one before goes on working. */
export const BRANDS_MAX = 500
/** Linked accounts of one user, and of one brand. */
export const ACCOUNTS_MAX = 1000
export const ACCOUNTS_PER_BRAND_MAX = 100

export const NICKNAME_MAX_CHARS = 50
export const EMAIL_MAX_CHARS = 255
/** The JSON that anybody may send to sign up. */
export const SIGN_UP_BODY_MAX_BYTES = 32_768
export const PASSWORD_MIN_CHARS = 6
export const PASSWORD_MAX_CHARS = 4096

/** Calls of one user that a server runs at a time, uploads aside; more wait in order, and beyond those that wait are refused. */
export const CALLS_PER_USER = 3
export const WAITING_CALLS_PER_USER = 32

/** The largest file that the server stores: TikTok's "maximum of 4GB". YouTube would take more. */
export const VIDEO_MAX_BYTES = 4_294_967_296
/** Uploads of one user that may run at the same time. */
export const UPLOADS_PER_USER = 20
/** Unfinished uploads of one user, running or waiting for the rest of their bytes. */
export const OPEN_UPLOADS_MAX = 100
/** An unfinished upload can be resumed this long after its last bytes. */
export const UPLOAD_KEPT_DAYS = 7
/** A video's name, its extension included. */
export const VIDEO_NAME_MAX_CHARS = 255
export const VIDEO_TAG_MAX_CHARS = 40
/** Tags of one video. */
export const VIDEO_TAGS_MAX = 20
/** Tags that the library lists. */
export const LIBRARY_TAGS_MAX = 500
export const VIDEOS_PAGE_SIZE = 50
/** It may hold a name in the form that is compared, where one character can become 18. */
export const VIDEOS_CURSOR_MAX_CHARS = 12_000
export const VIDEOS_PAGE_MAX = 100
/** Posts on a page of results. */
export const RESULTS_PAGE_SIZE = 25
export const RESULTS_PAGE_MAX = 100
export const RESULTS_CURSOR_MAX_CHARS = 200
export const REPORT_NOTE_MAX_CHARS = 5000
export const REPORT_LINK_DAYS_MAX = 365
/** Videos that one call can change or delete. */
export const VIDEOS_AT_ONCE_MAX = 100
/** The posts that use a video are counted up to this. */
export const VIDEO_POSTS_COUNTED_MAX = 100
/** Posts of a video that are named before it is deleted. */
export const VIDEO_POSTS_SHOWN = 10

/** A picture of a video, at most POSTER_MAX_SIDE_PX on its longer side, takes a fifth of this. */
export const POSTER_MAX_BYTES = 262_144
export const POSTER_MAX_SIDE_PX = 480
/** A brand's logo: a square of 128 pixels takes half of this at most. */
export const BRAND_LOGO_MAX_BYTES = 131_072
export const BRAND_LOGO_MAX_SIDE_PX = 512
/** An own cover: Instagram's "8MB maximum", by the smaller of the two meanings of MB. */
export const PICTURE_MAX_BYTES = 8_000_000
export const PICTURE_MAX_SIDE_PX = 8192
/** An own picture that no draft, no unfinished post and no new post has used for so long is deleted. */
export const PICTURE_UNUSED_DAYS = 30
/** Larger facts of a file are not believed. All are far beyond any platform's limit. */
export const VIDEO_FACTS_MAX = {
  durationS: 31_536_000,
  sidePx: 65_535,
  fps: 10_000,
  audioRateHz: 10_000_000,
  audioChannels: 255,
  bitRate: 1_000_000_000_000,
  nameChars: 64,
} as const
/** Values of one JSON body: a post to POST_TARGETS_MAX accounts with all options has half of them. */
export const JSON_MAX_VALUES = 10_000
/** Form fields beside the file are texts of a few kilobytes; more is not a form of ours. */
export const FORM_FIELD_MAX_BYTES = 65_536

/** A link attempt that was not finished by then must be started again. */
export const LINK_STATE_TTL_MS = 600_000

/** The longest text that any platform takes; each platform's own limit is in `platforms`. */
export const POST_TEXT_MAX_CHARS = 2200
export const POST_TARGETS_MAX = 100
/** A week: how long after its post's time a delivery may go out. The column's check has it too. */
export const POST_AFTER_MAX_MINUTES = 7 * 1440
/** Deliveries of one user that are to come or on their way. */
export const WAITING_DELIVERIES_MAX = 50_000
/** A timeline longer than this is a fault; its beginning tells it. */
export const POST_EVENTS_MAX = 1000
export const POSTS_PAGE_SIZE = 30
export const POSTS_PAGE_MAX = 100
/** A page ends with the post that brings it to so many deliveries. */
export const POSTS_PAGE_DELIVERIES_MAX = 1000
/** Posts that one call can delete, cancel, move, duplicate or give to another account. */
export const POSTS_AT_ONCE_MAX = 100
/** Posts that one call can make. */
export const NEW_POSTS_MAX = 50
/** Such a call: a long caption for each post, or a post to as many accounts as it may go to. */
export const NEW_POSTS_BODY_MAX_BYTES = 2_097_152
/** Its JSON values: each of NEW_POSTS_MAX posts to 40 accounts with all options. */
export const NEW_POSTS_MAX_VALUES = 30_000
/** Posts are counted up to this; beyond it the exact number helps nobody. */
export const POSTS_COUNTED_MAX = 500
/** The overview only says how many more than the few it shows there are; the queue counts further. */
export const OVERVIEW_COUNTED_MAX = 100
/** A search returns the newest of its matches, at most this many. */
export const POSTS_SEARCHED_MAX = 5000
export const POST_SEARCH_MAX_CHARS = 200
/** Different words of one search: each is looked for. */
export const SEARCH_WORDS_MAX = 20
/** More than any platform takes, so that a draft loses nothing that was typed. */
export const DRAFT_TEXT_MAX_CHARS = 10_000
/** A whole draft as JSON: the captions of a hundred accounts, 600 characters each. */
export const DRAFT_MAX_CHARS = 65_536
/** Drafts of one user. */
export const DRAFTS_MAX = 200
/** Presets of one user, of all kinds. */
export const PRESETS_MAX = 200
export const PRESET_NAME_MAX_CHARS = 60
/** The options of a preset as JSON: far more than all of a platform's, without a title and a comment. */
export const PRESET_OPTIONS_MAX_CHARS = 8192
/** A deleted draft can be restored for so long. */
export const DRAFT_UNDO_DAYS = 30
/** The JSON of a post or a draft: a caption in any script for each of POST_TARGETS_MAX accounts. */
export const POST_BODY_MAX_BYTES = 1_048_576
/** A new post is compared with the posts of its accounts this far back and ahead. */
export const SIMILAR_POST_DAYS = 7
export const SCHEDULE_MAX_DAYS = 365
export const SCHEDULES_PER_BRAND_MAX = 20
/** Posting schedules of all brands of a user, and the slots of all of them. */
export const SCHEDULES_MAX = 500
export const SCHEDULE_SLOTS_MAX = 100
export const ALL_SLOTS_MAX = 5000
/** Posts that wait in one posting schedule. */
export const SCHEDULE_POSTS_MAX = 1000
export const SCHEDULE_NAME_MAX_CHARS = 50
export const SCHEDULE_JITTER_MAX_MINUTES = 60
/** Free slots of a posting schedule that one call lists. */
export const NEXT_SLOTS_MAX = 10

/** The overview shows this many posts or accounts of each kind; the queue has the rest. */
export const OVERVIEW_SHOWN = 5
/** Accounts to link again and pauses listed at once; more are rare, and those with most posts come first. */
export const BLOCKERS_MAX = 100
export const OVERVIEW_DAYS = 14

/** Days that one call for the calendar covers: six weeks, as a month is drawn. */
export const CALENDAR_DAYS_MAX = 42
/** Posts in one answer: more on one screen help nobody. */
export const CALENDAR_POSTS_MAX = 2500
/** Free slots in one answer. */
export const CALENDAR_SLOTS_MAX = 500
export const CALENDAR_TEXT_CHARS = 80

export const NOTIFICATIONS_PER_PAGE = 30

/** Processes of a server that its screen lists. */
export const SERVER_PROCESSES_SHOWN = 100

/** Users on an operator's list at a time. */
export const SERVER_USERS_PAGE = 25
/** More of a user's posts than this are not counted there. */
export const SERVER_USER_POSTS_COUNTED = 1000
/** Invitations that have not ended. */
export const INVITATIONS_MAX = 100
export const INVITATION_DAYS = 7

/** Lines of the operators' log at a time. */
export const OPERATOR_ACTS_PAGE = 30
/** More unread notifications than this are not counted. */
export const UNREAD_COUNTED_MAX = 100

/** Posts of one CSV file. */
export const IMPORT_LINES_MAX = 500
/** Deliveries of one CSV file. */
export const IMPORT_TARGETS_MAX = 5000
/** The request body: enough for captions of usual length in every line. */
export const IMPORT_BODY_MAX_BYTES = 2_097_152
/** Cells of one CSV file; a separator inside a caption counts as well. */
export const IMPORT_CELLS_MAX = 50_000
/** Errors of one CSV file in one answer. */
export const IMPORT_ERRORS_MAX = 1000
/** Characters of a caption in the answer to a dry run. */
export const IMPORT_TEXT_CHARS = 80

/** The days that a brand's calendar feed shows. */
export const FEED_BACK_DAYS = 30
export const FEED_AHEAD_DAYS = 365
/** Posts in a feed that are still to come, and the latest of those that went out. */
export const FEED_UPCOMING_MAX = 1000
export const FEED_PAST_MAX = 500
/** Each of both ends before its posts have more deliveries than this, each with its caption. */
export const FEED_DELIVERIES_MAX = 2000

export const POST_REFERENCE_MAX_CHARS = 200

/** Downloading a video from an address takes no longer. */
export const VIDEO_FETCH_MAX_S = 540

export const API_KEYS_MAX = 50
export const API_KEY_NAME_MAX_CHARS = 60
export const API_KEY_DAYS_MAX = 366
/** Calls of one key in each process of the server. */
export const API_KEY_CALLS_PER_MINUTE = 600

/** A key that a program fetched by OAuth lasts this long. */
export const OAUTH_KEY_DAYS = 90
export const DEVICE_CODE_S = 600
/** A device asks no more often than that. */
export const DEVICE_POLL_S = 5
export const DEVICE_NAME_MAX_CHARS = 40
export const AUTHORIZATION_CODE_S = 60
export const AUTHORIZE_QUERY_MAX_CHARS = 8000

export const WEBHOOKS_MAX = 10
export const WEBHOOK_ADDRESS_MAX_CHARS = 2000
/** The log of a webhook keeps its messages this long. */
export const WEBHOOK_LOG_DAYS = 30
/** Beyond them the log of a webhook loses its oldest messages; those that wait to be sent stay. */
export const WEBHOOK_LOG_MAX = 10_000
export const WEBHOOK_MESSAGES_PER_PAGE = 25
/** Messages that one call sends again. */
export const WEBHOOK_RESEND_MAX = 10_000
/** A message that is not delivered is tried this long. */
export const WEBHOOK_RETRY_DAYS = 3
/** After a rotation the old secret signs too, this long. */
export const WEBHOOK_OLD_SECRET_HOURS = 24
/** The log keeps this many bytes of a receiver's answer. */
export const WEBHOOK_ANSWER_MAX_BYTES = 4096
