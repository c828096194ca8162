import type { DeliveryStatus } from './deliveries.ts'

/** The texts that the specification fixes, and those used in more than one place. */
export const TEXTS = {
  brandLength: 'Brand name must be between 1 and 50 characters.',
  brandCharacters: 'Brand name contains invalid characters.',
  brandsEmpty: 'No brands available.',
  brandsFetchFailed:
    'Failed to fetch brands, please try again later or contact support if the problem persists',
  brandDeleteFailed:
    'Error deleting brand, please try again later or contact support if the problem persists',
  brandCreateFailed: 'Failed to create brand, please try again later or contact support.',
  brandCreateTitle: 'Error creating brand',
  brandSaveFailed: 'Error saving brand, please try again later or contact support if the problem persists',
  saving: 'Saving...',
  noBrandsFound: 'No brands found',
  accountsBrandsFailed: 'Error fetching brands',
  logoutFailed: 'Failed to log out',
  noToken: 'No user token available',
  resetSent: 'Check your inbox for further instructions',
  loginFailed: 'Email or password is incorrect.',
  userDisabled: 'Your account on this server is disabled. Ask the person who runs it.',
  sessionEnded: 'Your session has ended. Log in to pick up where you left off.',
  tooManyAttempts: 'Too many attempts. Wait a few minutes, or reset your password.',
  processingTiktok: 'Processing TikTok Login...',
  processingInstagram: 'Processing Instagram authentication...',
  uploadInitialized: 'Video upload initialized successfully!',
  uploadInitiated: 'Video upload initiated successfully!',
  uploadFailed: 'Failed to upload video. Check console for details.',
  uploadFailedPrefix: 'Failed to upload video: ',
  unknownError: 'Unknown error occurred',
  chooseVideo: 'Please select a video file.',
  chooseVideoFirst: 'Please select a video first',
  instagramTooLarge: 'Video file must be less than 100MB',
  videoTooLarge: 'Video file must be at most 4 GB',
  choosePoster: 'Send a picture of the video.',
  posterTooLarge: 'A picture of a video must be at most 256 KiB',
  chooseLogo: 'Choose a logo.',
  logoTooLarge: 'A logo must be at most 128 KiB',
  choosePicture: 'Choose a picture.',
  pictureTooLarge: 'A picture must be at most 8 MB',
  notAVideo: 'Please select a valid video file',

  videoCutOff: 'The end of this file is missing. Copy or download it again, then choose the new copy.',
  pictureCutOff: 'The end of this picture is missing. Copy or download it again, then choose the new copy.',
  fileEmpty: 'This file is empty.',
  videoUnnamed: 'A video needs a name.',
  tiktokDeclaration: "By posting, you agree to TikTok's Music Usage Confirmation",
  signupClosed: 'Sign-up is closed on this server.',
} as const

/** For text that is no UTF-8. */
export const TEXT_BROKEN =
  'Some characters of this text are damaged (shown as \u{fffd}). Type them again, or send the text as UTF-8.'

/** The web app gets it from the server, while it is true. */
export const NOTICE_SIGNUP_CLOSED =
  'Signup is disabled. A "no token found" error appears when signup did not take effect: nobody is signed in then, and the browser\'s console says "No user token available". Log in with an account that exists.'

/** The labels of pages, fields and buttons that the specification fixes; the menu's follow ruling R21. */
export const LABELS = {
  login: 'Login',
  logIn: 'Log in',
  logOut: 'Log out',
  signUp: 'Sign up',
  alreadyHaveAccount: 'Already have an account?',
  forgotPassword: 'Forgot Password',
  returnTo: 'Return to',
  submit: 'Submit',
  email: 'Email',
  nickname: 'Nickname',
  password: 'Password',
  confirmPassword: 'Confirm Password',
  overview: 'Overview',
  brands: 'Brands',
  calendar: 'Calendar',
  queue: 'Queue',
  drafts: 'Drafts',
  library: 'Library',
  results: 'Results',
  accounts: 'Accounts',
  help: 'Help',
  server: 'Server',
  users: 'Users',
  upload: 'Upload',
  settings: 'Settings',
  newBrand: 'New Brand',
  brandName: 'Brand Name',
  numberOfAccounts: 'Number of Accounts',
  create: 'Create',
  addAccount: 'Add Account',
  update: 'Update',
  darkMode: 'Dark mode',
} as const

export const greeting = (name: string) => `Welcome ${name}`
export const continueWith = (platform: string) => `Continue with ${platform}`
/** The overview's notice on a server that was started with `--hold`. */
export const NOTICE_HOLD =
  'This server was started without posting: nothing goes out until the person who runs it starts it again.'
/** The overview's notice on a server that runs practice platforms instead of these. */
export const noticePractice = (platforms: readonly string[]) =>
  `The app is still in development on this server: what is posted to ${oneOf(platforms)} goes to a practice platform, and nobody on the real one sees it.`

const oneOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** The word for each state of a delivery, on the screens and in calendar feeds. */
export const STATUS_WORDS: Record<DeliveryStatus, string> = {
  scheduled: 'Scheduled',
  preparing: 'Uploading',
  committing: 'Publishing',
  processing: 'Processing',
  published: 'Published',
  in_inbox: 'In the inbox',
  failed: 'Failed',
  blocked: 'Held',
  unconfirmed: 'Unconfirmed',
  cancelled: 'Cancelled',
}
