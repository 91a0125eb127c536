/** What `endpoints.role` says of a row. */
export type Role = 'primary' | 'additional' | 'automation';

/** What is known of an event where it is decided who gets it. */
export interface EventFacts {
  readonly name: string;
  readonly productId: string | null;
  /** The buyer's address. */
  readonly email: string | null;
  /** A built-in automation that does not run for it. */
  readonly isNotFor?: string | undefined;
}

/** What a row of `endpoints` says of what it takes. */
export interface Filter {
  /** Null for automations that send emails, and for the endpoint that holds events until a URL is connected. */
  readonly url: string | null;
  /** The names that it takes; null for all. */
  readonly events: readonly string[] | null;
}

export interface Triggers extends Filter {
  readonly product_id: string | null;
  readonly channel: 'http' | 'email';
  /** Of an automation that every account has. */
  readonly built_in: string | null;
}

/**
 * What deliveries go to: a URL of the seller (url-kind.rules.ts) or an automation (automation-kind.rules.ts). The kind of a
 * row is chosen once, when it is read; what differs between the two stands in this folder alone.
 */
export interface DestinationKind {
  readonly isAutomation: boolean;
  /** What becomes of its deliveries while it is off. */
  readonly whileOff: 'held' | 'canceled';
  /** Whether Recent activity says how many deliveries were dropped when a change of the destination is applied. */
  readonly recordsWhatIsDropped: boolean;
  /** Whether a delivery whose attempts have ended is held until something reaches the destination again. */
  readonly holdsWhatFailed: boolean;
  /** Whether its deliveries are as urgent as their events; others go after all new ones. */
  readonly isAsUrgentAsEvent: boolean;
  /** Whether it is a URL of the seller that is connected. */
  isConnectedUrl(row: Pick<Filter, 'url'>): boolean;
  /** Whether the destination, on or off, takes events of that name. */
  takesName(filter: Filter, name: string): boolean;
  /**
   * Whether the event makes a delivery for it, whatever becomes of the delivery.
   * @param hasUrl a URL of the account is connected
   */
  getsDelivery(row: Triggers, event: EventFacts, hasUrl: boolean): boolean;
}
