interface Filtered {
  readonly role: string;
  /** Null for automations that send emails, and for the endpoint that holds events until a URL is connected. */
  readonly url: string | null;
  /** The names that it takes; null for all. */
  readonly events: readonly string[] | null;
}

/**
 * Whether an endpoint, on or off, takes events of that name. The one that holds events for the account's first URL takes
 * no pushed emails: the push said that they went nowhere, so its seller may have sent them again (decision 0021).
 */
export function takesName({ role, url, events }: Filtered, name: string): boolean {
  if (role !== 'automation' && url === null && name === 'funnel.email.sync') return false;
  return events === null || events.includes(name);
}
