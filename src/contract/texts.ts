/** Every text that the specification fixes, and those that more than one place shows. One home each. */
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
  notAVideo: 'Please select a valid video file',
  tiktokDeclaration: "By posting, you agree to TikTok's Music Usage Confirmation",
  signupClosed: 'Sign-up is closed on this server.',
} as const

/** Both sides greet and label by these. */
export const greeting = (name: string) => `Welcome ${name}`
