/** `wakeAt` (epoch ms): a worker must look at it then; null: never. */
export type Moved<S> = { readonly to: S; readonly wakeAt: number | null }

/** The events that each state accepts, and their results; `null`: refused. `askedS`: the platform's first waits between checks. */
export type Transitions<S extends { readonly kind: string }, E extends { readonly type: string }> = {
  readonly [K in S['kind']]: {
    readonly [T in E['type']]?: (
      state: Extract<S, { readonly kind: K }>,
      event: Extract<E, { readonly type: T }>,
      now: number,
      askedS: readonly number[],
    ) => Moved<S> | null
  }
}
