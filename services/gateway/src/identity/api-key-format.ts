import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `fnl_`, 32 random base62 characters (190 bits), 6 base62 characters of CRC32 over all before them. */
const keyPrefix = 'fnl_';
const randomLength = 32;
const checksumLength = 6; // 62^6 > 2^32
const keyPattern = /^fnl_[0-9A-Za-z]{38}$/;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function newApiKey(): string {
  let key = keyPrefix;
  for (let i = 0; i < randomLength; i++) key += alphabet[randomInt(alphabet.length)];
  return key + checksum(key);
}

/** Whether its form and checksum are right: a mistyped or invented key costs no look-up. */
export function isWellFormedKey(key: string): boolean {
  return keyPattern.test(key) && checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength);
}

/** What is stored of a key. The pepper is not in the database: a stolen copy of it cannot be searched for keys. */
export function hashApiKey(key: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(key).digest();
}

/** Names the pepper beside a hash, so that what is still under another one can be counted; it says nothing of the pepper. */
export function pepperId(pepper: string): string {
  return Buffer.from(hkdfSync('sha256', pepper, '', 'name of the pepper', 6)).toString('base64url');
}

/** The parts of a key that are kept to recognise it by. */
export function shownParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, keyPrefix.length + 4), lastFour: key.slice(-4) };
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
