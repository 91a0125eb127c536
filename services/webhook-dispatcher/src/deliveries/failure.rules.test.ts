import { expect, test } from 'vitest';
import { failureText } from './failure.rules.ts';

test('an unknown error is shown as it is: on one line, with its code, cut at 300 characters', () => {
  expect(failureText(Object.assign(new Error('odd\u0000\n\u001b[31mthing'), { code: 'HPE_ODD' }))).toBe(
    'HPE_ODD: odd [31mthing',
  );
  expect(failureText(new Error('x'.repeat(1_000)))).toHaveLength(300);
  expect(failureText('text')).toBe('text');
});

test('a name server that refuses the question is not taken for a receiver that refuses the connection', () => {
  const refused = (syscall: string) => failureText(Object.assign(new Error('no'), { code: 'ECONNREFUSED', syscall }));
  expect(refused('connect')).toBe('the connection was refused');
  expect(refused('queryA')).toBe('the host name could not be looked up');
});

test.each([
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'what answers there does not speak https'],
  ['CERT_NOT_YET_VALID', 'the certificate has expired, or is not valid yet'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'an intermediate certificate is missing'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'no secure connection (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)'],
])('%s is reported in plain words, without what OpenSSL writes', (code, text) => {
  const message = '404DA284437F0000:error:0A00010B:SSL routines:tls_validate_record_header:../deps/openssl/x.c:1:';
  expect(failureText(Object.assign(new Error(message), { code }))).toBe(text);
});
