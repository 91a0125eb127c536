import ipaddr from 'ipaddr.js';

/**
 * Whether webhooks may be sent to an IP address: public unicast only, so neither private networks nor loopback,
 * link-local (cloud metadata), multicast, documentation or translation ranges. IPv4 inside IPv6 is judged as IPv4.
 */
export function isAllowedAddress(address: string, allowLoopback: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const range = ipaddr.process(address).range();
  return range === 'unicast' || (allowLoopback && range === 'loopback');
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
