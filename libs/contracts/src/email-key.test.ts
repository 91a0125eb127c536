import { expect, test } from 'vitest';
import { canReceiveEmail, emailAddress } from './common.ts';
import { emailKey, envelopeAddress, needsSmtpUtf8 } from './email-key.ts';

/** Spellings of one mailbox; the first one is the key. */
const mailboxes = [
  [
    'ada@example.com',
    ' Ada@Example.COM ',
    'ADA@EXAMPLE.COM',
    'ada@ｅｘａｍｐｌｅ.com',
    'ada@example．com',
    'ada@example。com',
  ],
  ['özlem@example.com', 'Özlem@example.com', 'ÖZLEM@example.com', 'O\u0308zlem@example.com', 'o\u0308zlem@example.com'],
  [
    'eva@xn--mnchen-3ya.example',
    'eva@münchen.example',
    'Eva@MÜNCHEN.EXAMPLE',
    'eva@mu\u0308nchen.example',
    'eva@XN--MNCHEN-3YA.example',
  ],
  ['straße@example.com', 'STRAẞE@example.com', 'Straße@example.com'],
  ['eva@xn--strae-oqa.example', 'eva@straße.example', 'eva@STRAẞE.example'],
  ['strasse@example.com', 'STRASSE@example.com'],
  ['eva@strasse.example', 'eva@STRASSE.EXAMPLE'],
  ['i@example.com', 'I@example.com'],
  ['ı@example.com'],
  ['i\u0307@example.com', 'İ@example.com', 'I\u0307@example.com'],
  ['οδοσ@example.com', 'ΟΔΟΣ@example.com', 'οδος@example.com'],
  ['ada@xn--p1b6ci4b4b3a.example', 'ada@उदाहरण.example'],
] as const;

test.each(mailboxes)(
  'the mailbox %s has one key in all its spellings, and the key of the key is itself',
  (...spellings) => {
    for (const spelling of spellings) expect(emailKey(String(spelling)), String(spelling)).toBe(spellings[0]);
  },
);

test('no two mailboxes share a key', () => {
  const keys = mailboxes.map(([spelling]) => emailKey(spelling));
  expect(new Set(keys).size).toBe(mailboxes.length);
});

test('what is stored has a key, also where it is no address', () => {
  expect(emailKey('ADA')).toBe('ada');
  expect(emailKey('')).toBe('');
  expect(emailKey('Öa@\u00ad')).toBe('öa@\u00ad');
  expect(emailKey('a@b@Ö.example')).toBe('a@b@xn--nda.example');
});

test('spellings of one mailbox are taken as typed, with the domain in lower case', () => {
  for (const spelling of mailboxes.flat()) {
    const [local, domain = ''] = spelling.trim().split('@');
    expect(emailAddress.parse(spelling)).toBe(`${local}@${domain.toLowerCase()}`);
  }
});

test.each([
  'ada@１２７.0.0.1',
  'ada@127.0.0.0x1',
  'ada@0x7f.0x1',
  'ada@\u00ad.\u00ad',
  'ada@\u00ad.com',
  'ada@exam\u00adple.com',
  'ada@xn--.example',
  'ada@xn--\u00fc.example',
  'ada@ex%61mple.com',
  'ada@example.com.',
  'ada@example.com。',
  'ada@example',
  'ada@ａ.１',
  `ada@${'ü'.repeat(60)}.example`,
])('%j has no domain that mail could go to, and is refused as an address', (address) => {
  expect(emailAddress.safeParse(address).error?.issues).toMatchObject([{ code: 'invalid_format' }]);
});

test('an address has at most 254 bytes on its envelope', () => {
  const domain = (bytes: number) =>
    `${'a'.repeat(50)}.`
      .repeat(4)
      .slice(0, bytes - 8)
      .replace(/\.$/, 'a') + '.example';
  const local = 'ü'.repeat(20);
  const most = `${local}@${domain(254 - 41)}`;
  expect(emailAddress.safeParse(most).success).toBe(true);
  expect(emailAddress.safeParse(`ü${most}`).error?.issues).toMatchObject([{ code: 'too_big', maximum: 254 }]);
  const unicode = `${'l'.repeat(64)}@${'ü'.repeat(40)}.${'ö'.repeat(40)}.${'ä'.repeat(40)}.${'ß'.repeat(40)}.example`;
  expect([unicode.length, envelopeAddress(unicode).length]).toEqual([236, 260]);
  expect(emailAddress.safeParse(unicode).error?.issues).toMatchObject([{ code: 'too_big', maximum: 254 }]);
});

test('an envelope has its domain in ASCII, and its local part as it was typed', () => {
  expect(envelopeAddress('Info@münchen.example')).toBe('Info@xn--mnchen-3ya.example');
  expect(envelopeAddress('Özlem@münchen.example')).toBe('Özlem@xn--mnchen-3ya.example');
  expect(envelopeAddress('no address')).toBe('no address');
  expect(needsSmtpUtf8('Özlem@example.com')).toBe(true);
  expect(needsSmtpUtf8('Info@xn--mnchen-3ya.example')).toBe(false);
});

test('nothing is sent to a name under .invalid, however it is written', () => {
  for (const address of ['a@x.invalid', 'a@x.INVALID', 'a@ü.ｉｎｖａｌｉｄ'])
    expect(canReceiveEmail(address)).toBe(false);
  expect(canReceiveEmail('a@invalid.example')).toBe(true);
});
