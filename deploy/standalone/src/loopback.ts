import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether other machines cannot reach a server that listens there. @param host a name or an address, of a URL or a setting */
export function isLoopbackHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '');
  const family = isIP(plain);
  return family === 0 ? plain.toLowerCase() === 'localhost' : loopback.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}
