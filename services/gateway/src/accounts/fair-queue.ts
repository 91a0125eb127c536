/** The queue has no capacity for this piece of work: it was not begun. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  /** Whether this client alone has too much in the queue. */
  readonly ownShare: boolean;

  constructor(ownShare: boolean) {
    super(ownShare ? 'the share of one client is used up' : 'the queue is full');
    this.ownShare = ownShare;
  }
}

export interface FairQueueLimits {
  /** Pieces of work that run at once. */
  readonly atOnce: number;
  /** Pieces of work that wait at once. */
  readonly waitingMax: number;
  /** Those of one client. */
  readonly shareMax: number;
  /** How long a piece of work that was begun counts against its client, in milliseconds. */
  readonly rememberMs: number;
}

/** Runs clients' work, those first who have had the least of it: a flood by some delays the others by one piece of work. */
export interface FairQueue {
  /** @throws QueueFullError */
  run<T>(client: string, work: () => Promise<T>): Promise<T>;
}

interface Waiter {
  readonly client: string;
  begin(): void;
  reject(err: QueueFullError): void;
}

/** @param nowMs a clock that only goes forward */
export function createFairQueue(limits: FairQueueLimits, nowMs = () => performance.now()): FairQueue {
  const waiting: Waiter[] = [];
  const served = createServedCounts(limits.rememberMs, nowMs);
  let running = 0;
  const waitingOf = (client: string): number => waiting.filter((waiter) => waiter.client === client).length;
  const loadOf = (client: string): number => served.of(client) + waitingOf(client);

  const beginNext = (): void => {
    if (running === limits.atOnce || waiting.length === 0) return;
    const counts = waiting.map(({ client }) => served.of(client));
    const [next] = waiting.splice(counts.indexOf(Math.min(...counts)), 1);
    if (next === undefined) return;
    running += 1;
    served.add(next.client);
    next.begin();
  };

  /** In a full queue the client with the most gives up its latest, for one that has less. */
  const makeRoom = (client: string): void => {
    const loads = waiting.map((waiter) => loadOf(waiter.client));
    const most = Math.max(...loads);
    if (most <= loadOf(client) + 1) throw new QueueFullError(false);
    const [dropped] = waiting.splice(loads.lastIndexOf(most), 1);
    dropped?.reject(new QueueFullError(false));
  };

  const waitInLine = (client: string): Promise<void> => {
    if (waitingOf(client) >= limits.shareMax) throw new QueueFullError(true);
    if (waiting.length >= limits.waitingMax) makeRoom(client);
    return new Promise((resolve, reject) => {
      waiting.push({ client, begin: resolve, reject });
      beginNext();
    });
  };

  return {
    run: async (client, work) => {
      await waitInLine(client);
      try {
        return await work();
      } finally {
        running -= 1;
        beginNext();
      }
    },
  };
}

/** How much of each client's work was begun of late; bounded by how much can be begun in that time. */
function createServedCounts(rememberMs: number, nowMs: () => number) {
  const begun: { readonly client: string; readonly atMs: number }[] = [];
  const counts = new Map<string, number>();
  const forget = (): void => {
    while (begun[0] !== undefined && nowMs() - begun[0].atMs >= rememberMs) {
      const { client } = begun.shift() as { client: string };
      const left = (counts.get(client) ?? 1) - 1;
      if (left === 0) counts.delete(client);
      else counts.set(client, left);
    }
  };
  return {
    add: (client: string): void => {
      begun.push({ client, atMs: nowMs() });
      counts.set(client, (counts.get(client) ?? 0) + 1);
    },
    of: (client: string): number => {
      forget();
      return counts.get(client) ?? 0;
    },
  };
}
