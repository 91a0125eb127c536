import { expect, test } from 'vitest';
import { createSecretBox, newSecret, secretText } from './secret-box.ts';

const box = createSecretBox('k'.repeat(32));

test('a sealed secret opens only under its key, for its endpoint, unaltered', () => {
  const secret = newSecret();
  const sealed = box.seal(secret, 'whe_1');
  expect(box.open(sealed, 'whe_1')).toEqual(secret);
  expect(box.seal(secret, 'whe_1')).not.toBe(sealed);
  expect(() => box.open(sealed, 'whe_2')).toThrow();
  expect(() => createSecretBox('x'.repeat(32)).open(sealed, 'whe_1')).toThrow();
  expect(() =>
    box.open(`${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`, 'whe_1'),
  ).toThrow();
});

test('a secret is whsec_ and the base64 of 32 bytes', () => {
  expect(secretText(newSecret())).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
