import { MAIN_API } from './main-api.ts'
import { RARE_API } from './rare-api.ts'

/** Every call of the API, under `/api/v1`. */
export const API = { ...MAIN_API, ...RARE_API } as const

export type Api = typeof API
export type EndpointName = keyof Api
