interface Use {
  readonly caller: string;
  readonly amount: number;
  readonly seconds: number;
}

/** The windows that replicas share, without a database; `away` makes it hang or fail. */
export function sharedWindows() {
  const windows = new Map<string, { endsAtMs: number; taken: number }>();
  const state = { statements: 0, away: null as 'hangs' | 'fails' | null };
  const shared = {
    add: async (...uses: readonly Use[]) => {
      state.statements += 1;
      if (state.away === 'hangs') return await new Promise<never>(() => undefined);
      if (state.away === 'fails') throw new Error('away');
      return uses.map(({ caller, amount, seconds }) => {
        const nowMs = performance.now();
        let window = windows.get(caller);
        if (window === undefined || window.endsAtMs <= nowMs) window = { endsAtMs: nowMs + seconds * 1000, taken: 0 };
        windows.set(caller, window);
        window.taken += amount;
        return { taken: window.taken, leftMs: window.endsAtMs - nowMs };
      });
    },
    read: async () => [],
    forget: async () => 0,
  };
  return { state, shared };
}
