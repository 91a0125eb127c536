import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashApiKey, isWellFormedKey, newApiKey, shownParts } from './api-key-format.ts';

test('a new key has the published form and a right checksum', () => {
  const keys = Array.from({ length: 200 }, newApiKey);
  for (const key of keys) {
    expect(key).toMatch(/^fnl_[0-9A-Za-z]{38}$/);
    expect(isWellFormedKey(key)).toBe(true);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

test('a key with any one character changed is refused by its checksum alone', () => {
  const key = newApiKey();
  fc.assert(
    fc.property(fc.integer({ min: 4, max: key.length - 1 }), fc.constantFrom(...'09AZaz'), (at, character) => {
      fc.pre(key[at] !== character);
      return !isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1));
    }),
  );
});

test('no other text is a key', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isWellFormedKey(text)));
  expect(isWellFormedKey(`${newApiKey()}\n`)).toBe(false);
  expect(isWellFormedKey(newApiKey().replace('fnl_', 'fnl-'))).toBe(false);
});

test('what is stored and shown gives no key away, and depends on the pepper', () => {
  const key = newApiKey();
  expect(hashApiKey(key, 'a')).toEqual(hashApiKey(key, 'a'));
  expect(hashApiKey(key, 'a')).not.toEqual(hashApiKey(key, 'b'));
  expect(shownParts(key)).toEqual({ prefix: key.slice(0, 8), lastFour: key.slice(-4) });
});
