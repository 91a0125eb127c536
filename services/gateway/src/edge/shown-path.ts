/**
 * The path of an address that no route has, as logs and traces may show it: not the query, and no part of a buyer's link;
 * both may carry a secret.
 */
export function shownPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return /^\/+c\//i.test(path) ? '/c/…' : path.slice(0, 200);
}
