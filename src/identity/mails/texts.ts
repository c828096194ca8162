import { LABELS } from '#contract/texts.ts'
import type { Purpose } from '../store/codes.ts'

/** `from` is the current or former address of the account, `to` the recipient. */
export type Addresses = { readonly from: string; readonly to: string }

export type Words = {
  readonly subject: string
  /** What happened. */
  readonly lead: (addresses: Addresses) => string
  readonly button: string
  /** What the link does, and for how long it works. */
  readonly link: string
  /** What to do when someone else asked. */
  readonly notYou: string
}

/** Shown above the plain link, for mail programs without buttons. */
export const COPY = 'If the button does not work, copy this address into your browser:'

export const TEXTS: Record<Purpose, Words> = {
  password_reset: {
    subject: 'Reset your Reelay password',
    lead: ({ to }) => `Somebody asked to reset the password of the Reelay account ${to}.`,
    button: 'Choose a new password',
    link: 'Choose a new password with this link. It works once, within one hour.',
    notYou: 'If it was not you, do nothing: your password stays as it is.',
  },
  email_sign_in: {
    subject: 'Log in to Reelay',
    lead: ({ to }) => `Somebody asked to log in to Reelay as ${to}.`,
    button: LABELS.logIn,
    link: 'Log in with this link. It works once, within six hours.',
    notYou: 'If it was not you, do nothing: without this link nobody gets in.',
  },
  verify_email: {
    subject: 'Confirm your e-mail address for Reelay',
    lead: ({ to }) => `A Reelay account has the e-mail address ${to}.`,
    button: 'Confirm the address',
    link: 'If the account is yours, confirm the address with this link. It works once, within three days.',
    notYou: 'If you have no Reelay account, do nothing.',
  },
  verify_and_change_email: {
    subject: 'Confirm your new e-mail address for Reelay',
    lead: ({ from, to }) => `The Reelay account ${from} is to have the address ${to} from now on.`,
    button: 'Use the new address',
    link: 'If the account is yours, confirm the new address with this link. It works once, within three days. You log in again after that.',
    notYou: 'If it was not you, do nothing: the account keeps the address that it has.',
  },
  recover_email: {
    subject: 'The e-mail address of your Reelay account was changed',
    lead: ({ to }) => `The Reelay account ${to} has another e-mail address now.`,
    button: 'Take the address back',
    link: 'If it was not you, take your address back with this link, and then choose a new password. The link works once, within seven days.',
    notYou: 'If it was you, there is nothing to do.',
  },
}
