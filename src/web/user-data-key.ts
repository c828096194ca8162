/** Where the browser keeps the profile of the signed-in user. */
export const USER_DATA_KEY = 'userData'
