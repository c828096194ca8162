import { LABELS } from '#contract/texts.ts'
import type { Purpose } from '../store/codes.ts'

/** `from` is the current or former address of the account, `to` the recipient. */
export type Addresses = { readonly from: string; readonly to: string }

export type Words = {
  readonly subject: string
  readonly lead: (addresses: Addresses) => string
  readonly button: string
  readonly link: string
  readonly notYou: string
}

/** Shown above the plain link, for mail programs without buttons. */
export const COPY = 'If the button does not work, copy this address into your browser:'

export const TEXTS: Record<Purpose, Words> = {
  password_reset: {
    subject: 'Reset your Reelay password',
    lead: ({ to }) => `Someone asked to reset the password of your Reelay account ${to}.`,
    button: 'Choose a new password',
    link: 'Choose a new password with this link. It works once, within one hour.',
    notYou: "If that wasn't you, ignore this email. Your password stays the same.",
  },
  email_sign_in: {
    subject: 'Log in to Reelay',
    lead: ({ to }) => `Someone asked to log in to Reelay as ${to}.`,
    button: LABELS.logIn,
    link: 'Log in with this link. It works once, within six hours.',
    notYou: "If that wasn't you, ignore this email. Nobody can log in without this link.",
  },
  verify_email: {
    subject: 'Confirm your email address for Reelay',
    lead: ({ to }) => `There is a Reelay account with the email address ${to}.`,
    button: 'Confirm this email',
    link: 'If it is yours, confirm the address with this link. It works once, within three days.',
    notYou: 'If you have no Reelay account, ignore this email.',
  },
  verify_and_change_email: {
    subject: 'Confirm your new email address for Reelay',
    lead: ({ from, to }) =>
      `Someone asked to change the email address of the Reelay account ${from} to ${to}.`,
    button: 'Confirm this email',
    link: 'If that was you, confirm the new address with this link. It works once, within three days. After that, log in again with the new address.',
    notYou: "If that wasn't you, ignore this email. The account keeps its address.",
  },
  recover_email: {
    subject: 'The email address of your Reelay account was changed',
    lead: ({ to }) => `The email address of your Reelay account is no longer ${to}.`,
    button: 'Restore this email',
    link: "If that wasn't you, restore your address with this link, then choose a new password. The link works once, within seven days.",
    notYou: 'If that was you, there is nothing to do.',
  },
}
