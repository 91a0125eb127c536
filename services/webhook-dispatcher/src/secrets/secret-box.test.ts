import { expect, test } from 'vitest';
import { createSecretBox, newSecret, secretText } from './secret-box.ts';

const box = createSecretBox(['k'.repeat(32)]);

test('a sealed secret opens only under its key, for its endpoint, unaltered', () => {
  const secret = newSecret();
  const sealed = box.seal(secret, 'whe_1');
  expect(box.open(sealed, 'whe_1')).toEqual(secret);
  expect(box.seal(secret, 'whe_1')).not.toBe(sealed);
  expect(() => box.open(sealed, 'whe_2')).toThrow();
  expect(() => createSecretBox(['x'.repeat(32)]).open(sealed, 'whe_1')).toThrow();
  expect(() =>
    box.open(`${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`, 'whe_1'),
  ).toThrow();
});

test('a secret that is stored already opens', () => {
  const sealed = 'v1.7NBly1gd6h/JgJl85Ctfeg6Q169xIcGzbaav2BM6L2ERsCRTDgGZdnzpkBSVAiJFA98Hdus5gguBHWWR';
  expect(box.open(sealed, 'whe_1')).toEqual(Buffer.alloc(32, 7));
  expect(() => box.open(sealed.replace('v1.', 'v2.'), 'whe_1')).toThrow(
    expect.objectContaining({
      cause: expect.objectContaining({ message: expect.stringContaining('another version') }),
    }),
  );
});

test('a secret is whsec_ and the base64 of 32 bytes', () => {
  expect(secretText(newSecret())).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
