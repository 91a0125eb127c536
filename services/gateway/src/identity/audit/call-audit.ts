import type { StatementQuery } from '@app/service-kit/database';

/** Whose account a call concerns that no credential of an account makes. */
export interface Concerned {
  readonly accountId: string;
  readonly userId: string;
}

/** What an operation tells the audit log that only it finds out. */
export interface CallAudit {
  /** Whose account it is, found out before the call is refused: the refusal is counted there. */
  concerns(user: Concerned): void;
  /** Counts a refusal that is no error. */
  refused(code: string): void;
  /**
   * The statement that writes the entry, for the transaction in which the call takes effect.
   * @param user with the session that it opens; without one the caller holds a link from an email
   */
  entryOf(user: Concerned & { readonly sessionId?: string }): StatementQuery<{ id: string }>;
}
