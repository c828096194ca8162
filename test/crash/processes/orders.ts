/** A worker stops at this point of the product's code, the `skip + 1`th time. */
export type Order = { readonly id: number; readonly at: string; readonly skip: number }

/** Messages to a worker process. `clockMs`: how far all servers are ahead of the database's clock. */
export type ToWorker =
  | { readonly type: 'start'; readonly clockMs: number; readonly orders: readonly Order[] }
  | { readonly type: 'orders'; readonly orders: readonly Order[] }
  | { readonly type: 'clock'; readonly ms: number }
  /** Its machine's clock is wrong by this much from now on. */
  | { readonly type: 'set_clock'; readonly byMs: number }
  /** Continues from where it stopped. */
  | { readonly type: 'go'; readonly id: number }

/** Its reports: code loaded, working, stopped at an ordered point. */
export type FromWorker =
  | { readonly type: 'loaded' }
  | { readonly type: 'ready' }
  | { readonly type: 'reached'; readonly id: number }
