/**
 * The client that an IP address counts as in limits: the IPv4 address itself, or the /64 network of an IPv6 address. A
 * provider gives each customer at least a /64, so that all of its addresses are one client.
 */
export function clientOfAddress(ip: string): string {
  if (!ip.includes(':') || ip.includes('.')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':');
}
