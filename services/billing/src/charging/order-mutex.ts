/** Keeps work on one order apart in this process; what other processes do at the same time the database keeps apart. */
export interface OrderMutex {
  /** One at a time: the second caller finds what the first one did. */
  run<T>(accountId: string, orderId: string, work: () => Promise<T>): Promise<T>;
}

export function createOrderMutex(): OrderMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: (accountId, orderId, work) => {
      const key = `${accountId}/${orderId}`;
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      last.set(key, mine);
      const leave = (): void => {
        if (last.get(key) === mine) last.delete(key);
      };
      mine.then(leave, leave);
      return mine;
    },
  };
}
