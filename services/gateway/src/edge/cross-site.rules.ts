export interface BrowserHeaders {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
}

/** Whether a page is behind this request. Programs send neither header. */
export function isFromPage({ secFetchSite, origin }: BrowserHeaders): boolean {
  return secFetchSite !== undefined || origin !== undefined;
}

/**
 * Whether a browser sent this from another site than the one whose host it names. Browsers set Sec-Fetch-Site
 * themselves, pages cannot forge it; older ones send Origin with every write.
 * @param isOwnOrigin whether pages of this origin are ours
 */
export function isCrossSite(headers: BrowserHeaders, isOwnOrigin: (origin: URL) => boolean): boolean {
  const { secFetchSite, origin } = headers;
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin' && secFetchSite !== 'none') return true;
  // A form of our own pages, which send no referrer, has the opaque Origin: Sec-Fetch-Site shows that it is ours.
  if (origin === undefined || (origin === 'null' && secFetchSite !== undefined)) return false;
  const page = URL.parse(origin);
  return page === null || !isOwnOrigin(page);
}
