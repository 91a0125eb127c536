import { oneLine } from '../activity/activity.rules.ts';

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  ESERVFAIL: 'the host name could not be looked up',
  ETIMEOUT: 'the host name could not be looked up',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain is self-signed',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'an intermediate certificate is missing',
  ATTEMPT_TIMEOUT: 'no complete answer in time',
  ADDRESS_REFUSED: 'the address is not public',
};

/** Says in plain words why an exchange did not complete: one line of at most 300 characters. */
export function failureText(err: unknown): string {
  const { code, message } = err as { code?: unknown; message?: unknown };
  const known = typeof code === 'string' ? texts[code] : undefined;
  if (known !== undefined) return known;
  const text = typeof message === 'string' && message !== '' ? message : String(err);
  return oneLine(typeof code === 'string' && !text.includes(code) ? `${code}: ${text}` : text).slice(0, 300);
}
