/** The selected items of a list, in the order in which they were selected; filters do not change it. */
export type Selection<Id, Item> = {
  readonly items: ReadonlyMap<Id, Item>
  /** A range begins here; `before`: what was selected until then. null: the next range begins anew. */
  readonly anchor: { readonly id: Id; readonly before: ReadonlyMap<Id, Item> } | null
}

/** If more than `max` items are selected, the first ones stay. */
export function selectionBy<Id, Item>(idOf: (item: Item) => Id, max = Infinity) {
  type Selected = Selection<Id, Item>
  const withIds = (items: readonly Item[]) => items.map((item) => [idOf(item), item] as const)
  const bounded = (items: Selected['items']): Selected['items'] =>
    items.size <= max ? items : new Map([...items].slice(0, max))

  /** Selects or deselects an item; a range begins there. */
  function toggle({ items }: Selected, item: Item): Selected {
    const next = new Map(items)
    if (!next.delete(idOf(item))) next.set(idOf(item), item)
    const before = bounded(next)
    return { items: before, anchor: { id: idOf(item), before } }
  }

  return {
    nothing: { items: new Map(), anchor: null } satisfies Selected as Selected,

    all: (list: readonly Item[]): Selected => ({ items: bounded(new Map(withIds(list))), anchor: null }),

    toggle,

    /**
     * Selects all from the anchor, or else from `from`, to `to`; what only an earlier, longer range had is deselected.
     * With neither an anchor nor `from`, toggles `to`.
     */
    extend: (selection: Selected, list: readonly Item[], to: Item, from?: Item): Selected => {
      const ids = list.map(idOf)
      const known = selection.anchor !== null && ids.includes(selection.anchor.id) ? selection.anchor : null
      if (known === null && from === undefined) return toggle(selection, to)
      const anchor = known ?? { id: idOf(from ?? to), before: selection.items }
      const [start = 0, end = 0] = [ids.indexOf(anchor.id), ids.indexOf(idOf(to))].toSorted((a, b) => a - b)
      const range = withIds(list.slice(start, end + 1))
      return { items: bounded(new Map([...anchor.before, ...range])), anchor }
    },

    /** The next range begins where the focus is then. */
    endRange: (selection: Selected): Selected =>
      selection.anchor === null ? selection : { ...selection, anchor: null },

    /** After an action on these items. */
    deselect: ({ items }: Selected, done: ReadonlySet<Id>): Selected => ({
      items: new Map([...items].filter(([id]) => !done.has(id))),
      anchor: null,
    }),

    /** After items were changed. */
    withChanged: ({ items, anchor }: Selected, changed: readonly Item[]): Selected => {
      const next = new Map(items)
      for (const [id, item] of withIds(changed)) if (next.has(id)) next.set(id, item)
      return { items: next, anchor }
    },
  }
}
