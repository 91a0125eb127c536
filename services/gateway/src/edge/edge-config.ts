/** What of the gateway's configuration holds for every request. */
export interface EdgeConfig {
  /** How the outside reaches this deployment; left out, it is where each connection ends. */
  readonly PUBLIC_URL?: string | undefined;
  /** Number of proxies in front whose X-Forwarded-For is believed. */
  readonly TRUST_PROXY: number;
  readonly MAX_CONNECTIONS: number;
  /** Requests a minute for each account; 0 switches every rate limit off. */
  readonly RATE_LIMIT_PER_MINUTE: number;
}
