/**
 * A lock until the transaction ends, as an SQL expression. Under it one at a time connects a URL to the account, or makes
 * the endpoint of its first event.
 */
export const firstEndpointLock = (accountId: string): string =>
  `pg_advisory_xact_lock(hashtextextended('endpoint ' || ${accountId}, 0))`;
