/** Why a delivery ended that was not delivered, as `finished_deliveries.reason` stores it. */
export const endReasons = [
  /** After the last attempt of its schedule. */
  'attempts_used',
  /** It waited for as long as bodies are kept. */
  'expired',
  /** The mail server refused it for good. */
  'refused',
  /** The mail server may have taken it. */
  'unknown',
  /** The event of an email has no address of a buyer. */
  'no_address',
  /** The account's email address is not verified. */
  'unverified',
  /** Its endpoint was removed. */
  'removed',
  /** The seller dropped what was held, or its automation is off. */
  'discarded',
  /** A test send that was held is not sent after all. */
  'test_send',
  /** Its endpoint does not take the event. */
  'filtered',
] as const;

export type EndReason = (typeof endReasons)[number];

/** The reason as a text of SQL. */
export const reasonSql = (reason: EndReason): string => `'${reason}'`;
