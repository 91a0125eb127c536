export type ContentCoding = 'br' | 'gzip';

/** The smaller first. */
const known: readonly ContentCoding[] = ['br', 'gzip'];

/** The best coding that a caller with this Accept-Encoding takes; undefined for none. */
export function codingOf(acceptEncoding: string | undefined): ContentCoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const taken = new Map<string, boolean>();
  for (const part of acceptEncoding.split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    taken.set(coding, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return known.find((coding) => taken.get(coding) ?? taken.get('*') ?? false);
}

/** Whether an If-None-Match names this weak tag. */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((each) => each.trim() === tag || each.trim() === '*');
}

/** What decides whether a response may be compressed. */
export interface Compressible {
  readonly cacheControl: string;
  readonly hasCookie: boolean;
  /** What the browser says of the page that sent the request; older ones say nothing. */
  readonly secFetchSite: string | undefined;
  /** Whether an API key sent the request. */
  readonly hasKey: boolean;
}

/**
 * Compressed lengths show what a text has in common with what an attacker put into it (BREACH). What is `no-store` may hold
 * secrets, and is compressed for programs with a key alone, which no page can make send requests; what is `private` only for requests without a cookie, and for those that no other site
 * has sent, because only another site can send many and compare.
 */
export function mayCompress({ cacheControl, hasCookie, secFetchSite, hasKey }: Compressible): boolean {
  if (cacheControl.includes('no-store')) return hasKey && !hasCookie && secFetchSite === undefined;
  if (!cacheControl.includes('private') || !hasCookie) return true;
  return secFetchSite === 'same-origin' || secFetchSite === 'none';
}
