import ipaddr from 'ipaddr.js';

/** All that is assigned as global unicast (RFC 4291, IANA): whatever lies outside has a special meaning or none yet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Written like public addresses, and answered from inside a cloud: 168.63.129.16 is Azure's wire server. */
const insideClouds: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether webhooks may be sent to an IP address: public unicast only, so neither private networks nor loopback,
 * link-local (cloud metadata), multicast, documentation or reserved ranges. IPv4-mapped IPv6 is judged as IPv4. Every
 * other range that carries an IPv4 address (IPv4-compatible `::/96`, NAT64, 6to4, Teredo) is refused as a whole: where
 * such a packet ends is up to whoever translates it.
 */
export function isAllowedAddress(address: string, allowLoopback: boolean): boolean {
  const spelled = spelledInHex(address);
  if (spelled === null || !ipaddr.isValid(spelled)) return false;
  const parsed = ipaddr.process(spelled);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast' || insideClouds.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/**
 * Resolvers write IPv4-compatible addresses with dots (`::8.8.8.8`), which ipaddr.js takes for IPv4-mapped ones. Null for
 * an address with a zone (`fe80::1%eth0`), which means something on one machine only.
 */
function spelledInHex(address: string): string | null {
  if (!address.includes(':')) return address;
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? null;
}

/** Names that mean this machine (RFC 6761), with or without the root's dot. */
export function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

/** Why webhooks cannot be sent to this URL as it is written; undefined when nothing speaks against it. */
export function urlRefusal(url: string, allowLoopback: boolean): string | undefined {
  const { hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  // The URL parser has turned every spelling of an address (decimal, octal, hex) into the usual one.
  const host = hostname.replace(/^\[|\]$/g, '');
  const isAddress = ipaddr.isValid(host);
  if (isAddress && !isAllowedAddress(host, allowLoopback)) return 'must be a public address';
  if (!isAddress && isLoopbackName(host) && !allowLoopback) return 'must be a public address';
  return undefined;
}
