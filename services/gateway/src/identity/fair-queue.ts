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
  /** How long work that was begun or refused counts against its client, in milliseconds: so long at least, twice at most. */
  readonly rememberMs: number;
}

/**
 * Runs clients' work, those first who had the least begun or refused of late: a flood by some delays the others by one
 * piece of work.
 */
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
  const had = createCounts(limits.rememberMs, nowMs);
  let running = 0;
  const waitingOf = (client: string): number => waiting.filter((waiter) => waiter.client === client).length;
  const loadOf = (client: string): number => had.of(client) + waitingOf(client);

  const beginNext = (): void => {
    if (running === limits.atOnce || waiting.length === 0) return;
    const counts = waiting.map(({ client }) => had.of(client));
    const [next] = waiting.splice(counts.indexOf(Math.min(...counts)), 1);
    if (next === undefined) return;
    running += 1;
    had.add(next.client);
    next.begin();
  };

  const refusal = (client: string, ownShare: boolean): QueueFullError => {
    had.add(client);
    return new QueueFullError(ownShare);
  };

  /** In a full queue the client with the most gives up its latest, for one that has less. */
  const makeRoom = (client: string): void => {
    const loads = waiting.map((waiter) => loadOf(waiter.client));
    const most = Math.max(...loads);
    if (most <= loadOf(client) + 1) throw refusal(client, false);
    const [dropped] = waiting.splice(loads.lastIndexOf(most), 1);
    dropped?.reject(refusal(dropped.client, false));
  };

  const waitInLine = (client: string): Promise<void> => {
    if (waitingOf(client) >= limits.shareMax) throw refusal(client, true);
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

/** A flood from more clients than these forgets the earlier ones sooner: 20,000 addresses are about 2 MB. */
const clientsMax = 20_000;

/** What each client was given or refused, remembered for `rememberMs` at least and twice that at most. */
function createCounts(rememberMs: number, nowMs: () => number) {
  let recent = new Map<string, number>();
  let before = new Map<string, number>();
  let sinceMs = nowMs();
  const forget = (): void => {
    const passedMs = nowMs() - sinceMs;
    if (passedMs < rememberMs && recent.size < clientsMax) return;
    before = passedMs < 2 * rememberMs ? recent : new Map();
    recent = new Map();
    sinceMs = nowMs();
  };
  return {
    add: (client: string): void => {
      forget();
      recent.set(client, (recent.get(client) ?? 0) + 1);
    },
    of: (client: string): number => {
      forget();
      return (recent.get(client) ?? 0) + (before.get(client) ?? 0);
    },
  };
}
