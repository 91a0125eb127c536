import ipaddr from 'ipaddr.js';

/** The range of global unicast (RFC 4291, IANA). Addresses outside it have a special meaning or none yet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** They look like public addresses but lead to services inside a cloud: 168.63.129.16 is Azure's wire server. */
const cloudInternal: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether webhooks may be sent to an IP address: public unicast only, so neither private networks nor loopback,
 * link-local (cloud metadata), multicast, documentation or reserved ranges. An IPv4-mapped IPv6 address counts as IPv4.
 * Every other range that embeds IPv4 addresses (IPv4-compatible `::/96`, NAT64, 6to4, Teredo) is refused as a whole,
 * because a translator on the way decides where such a packet goes.
 */
export function isAllowedAddress(address: string, allowLoopback: boolean): boolean {
  const normalized = normalizeIpv6(address);
  if (normalized === null || !ipaddr.isValid(normalized)) return false;
  const parsed = ipaddr.process(normalized);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast' || cloudInternal.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/** The address, or of IPv6 its /64 network: a machine may have all addresses of that. */
export function networkOf(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/**
 * Rewrites an IPv6 address in hex: resolvers write IPv4-compatible addresses with dots (`::8.8.8.8`), which ipaddr.js
 * takes for IPv4-mapped ones. Null for an address with a zone (`fe80::1%eth0`), which is valid on one machine only.
 */
function normalizeIpv6(address: string): string | null {
  if (!address.includes(':')) return address;
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? null;
}

/** Whether the name means this machine (RFC 6761), with or without the root's dot. */
export function isLoopbackName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

/** Other protocols' ports, to which browsers send nothing either (https://fetch.spec.whatwg.org/#port-blocking). */
const browsersRefuse = [
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
];
/** MySQL, PostgreSQL, Redis, Elasticsearch, memcached, MongoDB: some take a POST for commands. */
const databases = [3306, 5432, 6379, 9200, 11211, 27017];
const refusedPorts: ReadonlySet<number> = new Set([...browsersRefuse, ...databases]);

export const isRefusedPort = (port: number): boolean => refusedPorts.has(port);

/** Why webhooks cannot be sent to this URL; undefined when they can. Resolves no name: guarded-agent.ts checks those. */
export function urlRefusal(url: string, allowLoopback: boolean): string | undefined {
  const { hostname, username, password, port } = new URL(url);
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  if (port !== '' && isRefusedPort(Number(port))) return `must not be at port ${port}, which another protocol has`;
  // The URL parser has already rewritten decimal, octal and hex spellings of an address in the usual form.
  const host = hostname.replace(/^\[|\]$/g, '');
  const isAddress = ipaddr.isValid(host);
  if (isAddress && !isAllowedAddress(host, allowLoopback)) return 'must be a public address';
  if (!isAddress && isLoopbackName(host) && !allowLoopback) return 'must be a public address';
  return undefined;
}
