import { plainAddress } from './client-address.rules.ts';

/** What a Host header may hold: a name, an IPv4 address or an IPv6 address in brackets, and a port. */
const wellFormed = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{0,5})?$/;

/**
 * A Host header as browsers write hosts: lower case, without the scheme's own port; null when it is none. URL refuses
 * what the pattern lets through: ports beyond 65535, addresses such as 300.1.1.1.
 */
export function parseHost(header: string, scheme: 'http:' | 'https:' = 'http:'): URL | null {
  return wellFormed.test(header) ? URL.parse(`${scheme}//${header}`) : null;
}

/** The host of an address that a connection ended at. */
export function hostOfAddress(address: string): string {
  const plain = plainAddress(address);
  return plain.includes(':') ? `[${plain}]` : plain;
}

/** Names that every resolver keeps on this machine. `*.localhost` is left out: some browsers query DNS for it. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a browser that sent this Host is where we live. A page can make its own name resolve to our address (DNS
 * rebinding), so a name counts only when it is ours by configuration or always means this machine; an address cannot be
 * rebound. Ports are not compared without a public address: forwarded ports differ, and Origin has the port of the page.
 * @param localAddress where the connection ended
 */
export function isOwnHost(header: string, publicUrl: URL | null, localAddress: string): boolean {
  if (publicUrl !== null) return parseHost(header, publicUrl.protocol as 'http:' | 'https:')?.host === publicUrl.host;
  const hostname = parseHost(header)?.hostname;
  const ours = hostOfAddress(localAddress);
  const loopback = ours === '[::1]' || ours.startsWith('127.');
  return hostname !== undefined && (hostname === ours || (loopback && loopbackNames.includes(hostname)));
}

/** A request target in absolute form, which every server takes (RFC 9112, 3.2.2). */
const absoluteForm = /^https?:\/\/([^/?#]*)/i;

/** The path and query of a request target, whatever its form is. */
export function pathOfTarget(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(absoluteForm, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}

/** Whether the host in a target of absolute form is that of the Host header, which all else reads; a target without one names none. */
export function isOfHost(target: string, host: string | undefined): boolean {
  if (target.startsWith('/')) return true;
  const named = absoluteForm.exec(target)?.[1];
  if (named === undefined) return true;
  const [there, here] = [parseHost(named), parseHost(host ?? '')];
  return there !== null && there.host === here?.host;
}
