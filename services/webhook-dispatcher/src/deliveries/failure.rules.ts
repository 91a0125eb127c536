import { oneLine } from '../texts/activity.rules.ts';
import type { DiagnosisCode } from '../texts/diagnosis-texts.rules.ts';
import { codeOfErrorName } from './diagnosis.rules.ts';

/** In a few words what the diagnosis of an error explains. */
const texts: Partial<Record<DiagnosisCode, string>> = {
  connection_refused: 'the connection was refused',
  connection_reset: 'the connection was closed before an answer came',
  unreachable: 'the host cannot be reached',
  timeout_connect: 'no connection in time',
  dns: 'the host name does not exist',
  dns_no_address: 'the host name has no address',
  dns_failed: 'the host name could not be looked up',
  timeout_lookup: 'the host name could not be looked up',
  address_refused: 'the address is not public',
  certificate_expired: 'the certificate has expired, or is not valid yet',
  certificate_name: 'the certificate is for another host name',
  certificate_self_signed: 'the certificate is self-signed',
  certificate_chain: 'an intermediate certificate is missing',
  certificate_revoked: 'the certificate was revoked',
  headers_too_large: 'the headers of the answer are too large',
  tls_to_plain_port: 'what answers there does not speak https',
  tls_failed: 'no secure connection',
};

/** Of the attempt's own limit: which part of the exchange took so long is for its diagnosis. */
const attemptTimeout = 'no complete answer in time';

/** Says in plain words why an exchange did not complete: one line of at most 300 characters. */
export function failureText(err: unknown): string {
  const { code, message, syscall } = err as { code?: unknown; message?: unknown; syscall?: unknown };
  // A name server that refuses the question has the same code as a receiver that refuses the connection.
  const resolving =
    typeof syscall === 'string' && syscall.startsWith('query') && code !== 'ENOTFOUND' && code !== 'ENODATA';
  const name = typeof code === 'string' ? code : '';
  if (name === 'ATTEMPT_TIMEOUT') return attemptTimeout;
  const diagnosed = resolving || name === 'ESERVFAIL' ? 'dns_failed' : codeOfErrorName(name, String(message));
  const known = diagnosed === undefined ? undefined : texts[diagnosed];
  // Only the code says what is wrong with the encryption.
  if (known !== undefined) return diagnosed === 'tls_failed' ? `${known} (${name})` : known;
  const text = typeof message === 'string' && message !== '' ? message : String(err);
  return oneLine(typeof code === 'string' && !text.includes(code) ? `${code}: ${text}` : text).slice(0, 300);
}
