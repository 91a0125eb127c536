/**
 * The path of an address that no route has, as logs and traces may show it: not the query, and no part of a link of an email;
 * both may carry a secret.
 */
export function shownPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const [, withSecrets] = /^\/+(c|p|letters|login|api\/checkout)\//i.exec(path) ?? [];
  return withSecrets === undefined ? path.slice(0, 200) : `/${withSecrets.toLowerCase()}/…`;
}
