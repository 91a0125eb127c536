/** Of one caller's window, after what a batch requested was added. */
export interface Capacity {
  readonly caller: string;
  /** What counts until the window ends. */
  readonly taken: number;
  /** What attempts under way hold, the batch's own included. */
  readonly held: number;
  /** When the window ends: its name. */
  readonly window: string;
}

export interface CapacityUse {
  readonly caller: string;
  readonly amount: number;
  /** Of the caller's window. */
  readonly limit: number;
}

/** The capacity of one attempt: all of it is held, or none. */
export interface Requested {
  readonly uses: readonly CapacityUse[];
}

/**
 * `held`: in these windows, in the order of the uses. `full`: what counts has reached the limit of this caller, until its
 * window ends. `busy`: attempts under way hold what is left of this caller's, and may give it back.
 */
export type Taking = { readonly kind: 'held'; readonly windows: readonly string[] } | Refused;
export interface Refused {
  readonly kind: 'full' | 'busy';
  readonly caller: string;
}

/** Grants capacity to the requests of a batch in their order. `amounts`: what each caller requested in the whole batch. */
export function grant(
  all: readonly Requested[],
  rows: readonly Capacity[],
  amounts: ReadonlyMap<string, number>,
): Taking[] {
  const windows = new Map(
    rows.map(({ caller, taken, held, window }) => [
      caller,
      { taken, window, used: taken + held - (amounts.get(caller) ?? 0) },
    ]),
  );
  const windowOf = (caller: string) => {
    const found = windows.get(caller);
    if (found === undefined) throw new Error('capacity was not counted');
    return found;
  };
  return all.map(({ uses }) => {
    const full = uses.find(({ caller, amount, limit }) => windowOf(caller).taken + amount > limit);
    if (full !== undefined) return { kind: 'full', caller: full.caller };
    const busy = uses.find(({ caller, amount, limit }) => windowOf(caller).used + amount > limit);
    if (busy !== undefined) return { kind: 'busy', caller: busy.caller };
    for (const { caller, amount } of uses) windowOf(caller).used += amount;
    return { kind: 'held', windows: uses.map(({ caller }) => windowOf(caller).window) };
  });
}
