/** Keeps work on one order apart in this process; what other processes do at the same time the database keeps apart. */
export interface OrderTurns {
  /** One at a time: whoever comes second finds what the first one did. */
  take<T>(accountId: string, orderId: string, work: () => Promise<T>): Promise<T>;
}

export function createOrderTurns(): OrderTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take: (accountId, orderId, work) => {
      const key = `${accountId}/${orderId}`;
      const before = last.get(key) ?? Promise.resolve();
      const turn = before.then(work, work);
      last.set(key, turn);
      const leave = (): void => {
        if (last.get(key) === turn) last.delete(key);
      };
      turn.then(leave, leave);
      return turn;
    },
  };
}

/** Lets equal calls that come at the same time share one piece of work and its result. */
export type Share = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createShare(): Share {
  const underWay = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>) => {
    const first = underWay.get(key) as Promise<T> | undefined;
    if (first !== undefined) return first;
    const shared = work().finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
}
