import { generateKeyPairSync, hash, randomBytes } from 'node:crypto';

/** A value of CBOR, as far as WebAuthn needs it here. */
type Value = number | string | Buffer | Map<number | string, Value>;

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  return count < 256
    ? Buffer.from([(major << 5) | 24, count])
    : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}

function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

/**
 * What a browser sends of a new passkey whose authenticator has verified its user.
 * @param origin of the page
 * @param challenge of the options, base64url
 */
export function newCredential(origin: string, challenge: string) {
  const credentialId = randomBytes(32);
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const publicKey = new Map<number, Value>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]);
  // User present, user verified, credential attached.
  const flags = 0x45;
  const authData = Buffer.concat([
    hash('sha256', new URL(origin).hostname, 'buffer'),
    Buffer.from([flags, 0, 0, 0, 0]),
    Buffer.alloc(16),
    Buffer.from([0, credentialId.length]),
    credentialId,
    cbor(publicKey),
  ]);
  const attestation = new Map<string, Value>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ]);
  const clientData = { type: 'webauthn.create', challenge, origin, crossOrigin: false };
  const id = credentialId.toString('base64url');
  return {
    ...{ id, rawId: id, type: 'public-key' },
    response: {
      clientDataJSON: Buffer.from(JSON.stringify(clientData)).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
    },
  };
}
