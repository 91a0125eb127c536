import { BlockList, isIP } from 'node:net';

const insideRanges = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  insideRanges.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  insideRanges.addSubnet(net, prefix, 'ipv6');
}

/**
 * Where Stripe reaches this deployment; null where it does not: it sends live events over https alone, and not into a network.
 * @param publicUrl without a slash at its end
 */
export function reachableBase(publicUrl: string | undefined): string | null {
  if (publicUrl === undefined) return null;
  const { protocol, hostname } = new URL(publicUrl);
  const plain = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(plain);
  const isInside =
    family === 0
      ? !plain.includes('.') || /\.(?:localhost|local|internal)$/.test(plain)
      : insideRanges.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  return protocol === 'https:' && !isInside ? publicUrl : null;
}
