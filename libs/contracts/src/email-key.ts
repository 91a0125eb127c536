import { domainToASCII } from 'node:url';

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/**
 * Letter by letter: what a whole text makes of a Σ depends on its neighbours. A sigma at the end of a word is the same letter.
 * ß and ss, i and ı stay apart: they are different mailboxes.
 */
const folded = (text: string): string =>
  Array.from(text.normalize('NFC'), (letter) => letter.toLowerCase())
    .join('')
    .replaceAll('ς', 'σ')
    .normalize('NFC');

/** Where the domain of an address begins, the @ before it included; the end where there is none. */
const domainStart = (address: string): number => {
  const at = address.lastIndexOf('@');
  return at === -1 ? address.length : at;
};

/**
 * What two spellings of one mailbox have in common, and what addresses are compared by: no case, one Unicode form, the domain in
 * ASCII. Of a text that is no address it is the text in lower case, so that whatever is stored has a key. The key of a key is
 * itself.
 */
export function emailKey(address: string): string {
  const plain = address.trim();
  if (isAscii(plain)) return plain.toLowerCase();
  const start = domainStart(plain);
  const domain = plain.slice(start + 1);
  return folded(plain.slice(0, start)) + (start === plain.length ? '' : `@${domainToASCII(domain) || folded(domain)}`);
}

/** The address as envelopes have it: its domain in ASCII, its local part as it is. */
export function envelopeAddress(address: string): string {
  const start = domainStart(address);
  const domain = address.slice(start + 1);
  return isAscii(domain) ? address : `${address.slice(0, start)}@${domainToASCII(domain) || domain}`;
}

/** Whether only a mail server that offers SMTPUTF8 (RFC 6531) takes the address of an envelope. */
export const needsSmtpUtf8 = (envelope: string): boolean => !isAscii(envelope);

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** A domain with a dot that ends in no number: an address of a computer is none. */
const asciiDomain = new RegExp(String.raw`^(?:${label}\.)+(?!\d+$)(?=.{2})${label}$`);

/** The length of the address on an envelope in bytes; null where its domain is none, or is an IP address. */
export function envelopeBytes(address: string): number | null {
  const start = domainStart(address);
  const domain = domainToASCII(address.slice(start + 1));
  return asciiDomain.test(domain) ? Buffer.byteLength(address.slice(0, start)) + 1 + domain.length : null;
}
