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
