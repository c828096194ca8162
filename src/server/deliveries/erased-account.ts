/** Replaces the platform's id of an account whose owner had its data deleted. */
export const erasedId = (accountId: number): string => `deleted ${accountId}`

/** Nobody can link such an account again: linking makes a new one. */
export const isErased = (account: { readonly account_id: number; readonly external_id: string }): boolean =>
  account.external_id === erasedId(account.account_id)
