import { describe, expect, it } from 'vitest'
import { continueWith, greeting, LABELS, noticePractice, NOTICE_SIGNUP_CLOSED, TEXTS } from './texts.ts'

// The specification's words to the letter. Elsewhere a text is named, never typed a second time; here it is, on purpose.

describe("the specification's texts are kept to the letter", () => {
  it.each([
    ['brandLength', 'Brand name must be between 1 and 50 characters.'],
    ['brandCharacters', 'Brand name contains invalid characters.'],
    ['brandsEmpty', 'No brands available.'],
    [
      'brandsFetchFailed',
      'Failed to fetch brands, please try again later or contact support if the problem persists',
    ],
    [
      'brandDeleteFailed',
      'Error deleting brand, please try again later or contact support if the problem persists',
    ],
    ['brandCreateFailed', 'Failed to create brand, please try again later or contact support.'],
    ['brandCreateTitle', 'Error creating brand'],
    [
      'brandSaveFailed',
      'Error saving brand, please try again later or contact support if the problem persists',
    ],
    ['saving', 'Saving...'],
    ['noBrandsFound', 'No brands found'],
    ['accountsBrandsFailed', 'Error fetching brands'],
    ['logoutFailed', 'Failed to log out'],
    ['noToken', 'No user token available'],
    ['resetSent', 'Check your inbox for further instructions'],
    ['processingTiktok', 'Processing TikTok Login...'],
    ['processingInstagram', 'Processing Instagram authentication...'],
    ['uploadInitialized', 'Video upload initialized successfully!'],
    ['uploadInitiated', 'Video upload initiated successfully!'],
    ['uploadFailed', 'Failed to upload video. Check console for details.'],
    ['uploadFailedPrefix', 'Failed to upload video: '],
    ['unknownError', 'Unknown error occurred'],
    ['chooseVideo', 'Please select a video file.'],
    ['chooseVideoFirst', 'Please select a video first'],
    ['instagramTooLarge', 'Video file must be less than 100MB'],
    ['notAVideo', 'Please select a valid video file'],
  ] as const)('the text %s reads as specified', (name, text) => expect(TEXTS[name]).toBe(text))

  it('every refused login shows the same text', () => {
    expect(TEXTS.loginFailed).toBe('Email or password is incorrect.')
  })

  it('the notice says development, closed signup and what "no token found" means', () => {
    expect(noticePractice(['TikTok'])).toMatch(/^The app is still in development/)
    expect(NOTICE_SIGNUP_CLOSED).toMatch(
      /^Signup is disabled. A "no token found" error appears when signup did not take effect/,
    )
  })
})

describe("the specification's labels are kept to the letter", () => {
  it.each([
    ['login', 'Login'],
    ['logIn', 'Log in'],
    ['logOut', 'Log out'],
    ['signUp', 'Sign up'],
    ['alreadyHaveAccount', 'Already have an account?'],
    ['forgotPassword', 'Forgot Password'],
    ['returnTo', 'Return to'],
    ['submit', 'Submit'],
    ['email', 'Email'],
    ['nickname', 'Nickname'],
    ['password', 'Password'],
    ['confirmPassword', 'Confirm Password'],
    ['newBrand', 'New Brand'],
    ['brandName', 'Brand Name'],
    ['numberOfAccounts', 'Number of Accounts'],
    ['create', 'Create'],
    ['addAccount', 'Add Account'],
    ['update', 'Update'],
    ['darkMode', 'Dark mode'],
  ] as const)('the label %s reads as specified', (name, label) => expect(LABELS[name]).toBe(label))

  it('the menu labels are those of the ruling', () => {
    const { overview, brands, queue, accounts, help, upload, settings } = LABELS
    expect([overview, brands, queue, accounts, help, upload, settings]).toEqual([
      'Overview',
      'Brands',
      'Queue',
      'Accounts',
      'Help',
      'Upload',
      'Settings',
    ])
  })

  it('the greeting names the user and the link button its platform', () => {
    expect(greeting('Ada')).toBe('Welcome Ada')
    expect(['TikTok', 'Instagram'].map(continueWith)).toEqual([
      'Continue with TikTok',
      'Continue with Instagram',
    ])
  })
})
