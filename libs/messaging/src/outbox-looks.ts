/** From where on the relay looks for unpublished rows of the outbox, by their ids. */
export interface Looks {
  /** Rows up to this id need not be looked at now; '0' for all. */
  from(): string;
  /** The highest id that a look found. */
  saw(id: string | undefined): void;
  /** The next look is at all rows. */
  startOver(): void;
}

/** Rows of a transaction that took its ids more than this ago and commits now wait for the next look at all rows. */
const trustAfterMs = 1_000;
const allEveryMs = 500;

/**
 * A row that was published leaves an entry in the index of unpublished rows until a vacuum: a look that began with the lowest
 * id would pass over those of the last minute, each time anew. So most looks begin where the looks of a second ago had
 * come to, and one in each second is at all rows: it finds what was committed late, and what failed to be published.
 */
export function createLooks(nowMs: () => number = () => performance.now()): Looks {
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
