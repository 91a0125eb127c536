const port = /^(?:\[([\da-f.:]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/i;

/**
 * The IP address itself: some proxies forward it with the client's port, and a socket for both kinds calls the IPv4 address
 * 192.0.2.7 `::ffff:192.0.2.7`, which is also written `::ffff:c000:207`.
 */
export function plainAddress(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [, inBrackets, beforePort] = port.exec(ip) ?? [];
  const address = inBrackets ?? beforePort ?? ip;
  const groups = groupsOf(address);
  if (groups === null || groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return address;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/**
 * The client that an IP address counts as in limits, and is called by in the audit log and in notices: the IPv4 address itself, or
 * the /64 network of an IPv6 address. A provider gives each customer at least a /64, so that all of its addresses are one client.
 */
export function clientOfAddress(ip: string): string {
  const address = plainAddress(ip);
  const groups = address.includes(':') ? groupsOf(address) : null;
  if (groups === null) return address;
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The eight groups of an IPv6 address; null for anything else. */
function groupsOf(address: string): number[] | null {
  if (!/^[\da-f]*:[\da-f:]*(?::\d+\.\d+\.\d+\.\d+)?(?:%.*)?$/i.test(address)) return null;
  const parts = (text: string): number[] => (text === '' ? [] : text.split(':').flatMap(groupsOfPart));
  const [head = '', tail] = address.replace(/%.*/, '').split('::');
  const [first, last] = [parts(head), parts(tail ?? '')];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<number>(missing).fill(0), ...last];
  return groups.length === 8 && groups.every((group) => group <= 0xffff) ? groups : null;
}

function groupsOfPart(part: string): number[] {
  if (!part.includes('.')) return [Number.parseInt(part, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}
