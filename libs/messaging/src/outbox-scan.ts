/** From which id on the relay scans the unpublished rows of the outbox. */
export interface OutboxScan {
  /** The next scan need not read rows up to this id; '0' for a scan of all rows. */
  from(): string;
  /** The highest id that a scan found. */
  saw(id: string | undefined): void;
  /** The next scan is of all rows. */
  startOver(): void;
}

/** Rows of a transaction that took its ids more than this ago and commits now wait for the next scan of all rows. */
const trustAfterMs = 1_000;
const allEveryMs = 500;

/**
 * A row that was published leaves an entry in the index of unpublished rows until a vacuum: a scan that began with the
 * lowest id would pass over those of the last minute, each time anew. So most scans begin where the scans of a second ago
 * had come to, and two in each second are of all rows: they find what was committed late, and what failed to be published.
 */
export function createOutboxScan(nowMs: () => number = () => performance.now()): OutboxScan {
  let trusted = '0';
  let candidate = '0';
  let candidateAtMs = nowMs();
  let highest = '0';
  let allAtMs = Number.NEGATIVE_INFINITY;
  return {
    from: () => {
      const now = nowMs();
      if (now - candidateAtMs >= trustAfterMs) {
        trusted = candidate;
        candidate = highest;
        candidateAtMs = now;
      }
      if (now - allAtMs < allEveryMs) return trusted;
      allAtMs = now;
      return '0';
    },
    saw: (id) => {
      if (id !== undefined && BigInt(id) > BigInt(highest)) highest = id;
    },
    startOver: () => {
      allAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}
