export interface BrowserHeaders {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Whether a browser sent this from another site. Browsers set Sec-Fetch-Site themselves, pages cannot forge it;
 * older ones send Origin with every write. Programs send neither and have no cookie that could be abused.
 * @param hosts names (with port) under which this deployment is reached
 */
export function isCrossSite(headers: BrowserHeaders, hosts: readonly (string | undefined)[]): boolean {
  if (headers.secFetchSite !== undefined) {
    return headers.secFetchSite !== 'same-origin' && headers.secFetchSite !== 'none';
  }
  if (headers.origin === undefined) return false;
  const origin = URL.parse(headers.origin);
  return origin === null || !hosts.includes(origin.host);
}
