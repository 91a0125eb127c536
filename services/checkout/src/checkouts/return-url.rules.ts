/**
 * Whether an address is the base itself or a path below it, at the same origin. Queries and fragments may differ. An address
 * with a backslash is not: programs do not agree on which host it names.
 */
export function isUnder(address: string, base: string): boolean {
  if (address.includes('\\')) return false;
  const [url, root] = [URL.parse(address), URL.parse(base)];
  if (url === null || root === null || url.origin !== root.origin || url.username !== '' || url.password !== '')
    return false;
  const path = root.pathname.replace(/\/+$/, '');
  return url.pathname === path || url.pathname.startsWith(`${path}/`);
}
