import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate with its key, as node:tls takes them. */
export interface Certified {
  readonly name: string;
  readonly cert: string;
  readonly key: string;
  readonly privateKey: KeyObject;
}

export interface CertificateSettings {
  /** Its common name, and its DNS name. */
  readonly name: string;
  /** Left out for one that is signed by itself. */
  readonly issuer?: Certified;
  readonly authority?: boolean;
  /** Years from now, negative for one that has expired. */
  readonly validYears?: number;
}

/** DER (X.690): a tag, the length and the content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const length = [];
  for (let rest = body.length; rest > 0; rest >>= 8) length.unshift(rest & 0xff);
  const head = body.length < 128 ? [tag, body.length] : [tag, 0x80 | length.length, ...length];
  return Buffer.concat([Buffer.from(head), body]);
}

const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const yes = der(0x01, Buffer.from([0xff]));
/** 2.5.29: 0x0e subject key, 0x0f key usage, 0x11 alternative names, 0x13 constraints. */
const extension = (id: string, value: Uint8Array, critical = false) =>
  sequence(oid(`551d${id}`), ...(critical ? [yes] : []), der(0x04, value));
const nameOf = (text: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))));
const timeOf = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

/** Makes an X.509 certificate of an elliptic key (RFC 5280), so that tests need no fixture that expires and no tool. */
export function makeCertificate({ name, issuer, authority = false, validYears = 1 }: CertificateSettings): Certified {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const yearMs = 365 * 86_400_000;
  const end = new Date(Date.now() + validYears * yearMs);
  const begin = new Date(Math.min(Date.now(), end.getTime()) - yearMs);
  const extensions = sequence(
    extension('13', authority ? sequence(yes) : sequence(), true),
    ...(authority ? [extension('0f', der(0x03, Buffer.from([1, 0x06])), true)] : []),
    ...(authority ? [] : [extension('11', sequence(der(0x82, Buffer.from(name))))]),
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ecdsaWithSha256,
    nameOf(issuer?.name ?? name),
    sequence(timeOf(begin), timeOf(end)),
    nameOf(name),
    publicKey,
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey);
  const lines =
    sequence(content, ecdsaWithSha256, bits(signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { name, cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, privateKey };
}
