/** What the log says of the operation that a request called. It holds no secret and nothing that a caller wrote. */
export interface CalledOperation {
  readonly id: string;
  readonly changes: boolean;
  /** Whose it is, as soon as it is known: of a buyer's request the seller's. */
  accountId?: string;
  /** The id of what it is about, or of what it made. */
  about?: string | undefined;
  /** Where the answer alone does not say it: a declined card is answered with 200. */
  outcome?: string;
}

/** Of all that one request calls, the log names what changes something, else the last read: a page makes many. */
export const namedCall = (before: CalledOperation | null, next: CalledOperation): CalledOperation =>
  before?.changes && !next.changes ? before : next;
