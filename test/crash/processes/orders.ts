/** A point of the product's code at which a worker is to hold still, the `skip + 1`th time that it comes there. */
export type Order = { readonly id: number; readonly at: string; readonly skip: number }

/** What a worker process is told. `clockMs` is how far all servers are to be ahead of the database's clock. */
export type ToWorker =
  | { readonly type: 'start'; readonly clockMs: number; readonly orders: readonly Order[] }
  | { readonly type: 'orders'; readonly orders: readonly Order[] }
  | { readonly type: 'clock'; readonly ms: number }
  /** Its machine's own clock is wrong by so much from now on. */
  | { readonly type: 'set_clock'; readonly byMs: number }
  /** Goes on from where it holds still. */
  | { readonly type: 'go'; readonly id: number }

/** What it tells: its code is loaded; it works; it holds still where an order says. */
export type FromWorker =
  | { readonly type: 'loaded' }
  | { readonly type: 'ready' }
  | { readonly type: 'reached'; readonly id: number }
