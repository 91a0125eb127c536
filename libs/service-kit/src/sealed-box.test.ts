import { expect, test } from 'vitest';
import { createSealedBox } from './sealed-box.ts';

const box = createSealedBox(['a secret of the deployment'], 'tests');
const plain = Buffer.from('{"key":"fnl_secret"}');

test('a sealed value opens byte for byte, shows nothing of it, and is another one each time', () => {
  const sealed = box.seal(plain, 'row 1');
  expect(sealed.includes('fnl_secret')).toBe(false);
  expect(box.open(sealed, 'row 1')).toEqual(plain);
  expect(box.seal(plain, 'row 1')).not.toEqual(sealed);
  expect(box.open(box.seal(Buffer.alloc(0), 'row 1'), 'row 1')).toEqual(Buffer.alloc(0));
});

test('it opens neither for another row, nor with another secret or purpose, nor in another version', () => {
  const sealed = box.seal(plain, 'row 1');
  expect(() => box.open(sealed, 'row 2')).toThrow();
  expect(() => createSealedBox(['another secret'], 'tests').open(sealed, 'row 1')).toThrow();
  expect(() => createSealedBox(['a secret of the deployment'], 'others').open(sealed, 'row 1')).toThrow();
  expect(() => box.open(sealed.fill('v2.', 0, 3), 'row 1')).toThrow('another version');
});

test('a value of which any byte was altered does not open', () => {
  const sealed = box.seal(plain, 'row 1');
  for (let i = 0; i < sealed.length; i += 1) {
    const altered = Buffer.from(sealed);
    altered[i] = (altered[i] as number) ^ 1;
    expect(() => box.open(altered, 'row 1')).toThrow();
  }
});

test('while a secret is rotated the one before still opens, and what is sealed anew opens without it', () => {
  const before = createSealedBox(['the one before'], 'tests');
  const rotating = createSealedBox(['the one of today', 'the one before'], 'tests');
  const today = createSealedBox(['the one of today'], 'tests');
  const old = before.seal(plain, 'row 1');
  expect(rotating.open(old, 'row 1')).toEqual(plain);
  expect(() => rotating.open(old, 'row 2')).toThrow();
  const fresh = rotating.reseal(old, 'row 1');
  expect(today.open(fresh ?? Buffer.alloc(0), 'row 1')).toEqual(plain);
  expect(rotating.reseal(fresh ?? Buffer.alloc(0), 'row 1')).toBeNull();
  expect(today.open(rotating.seal(plain, 'row 1'), 'row 1')).toEqual(plain);
  const wrong = createSealedBox(['the one of today', 'a wrong one'], 'tests');
  expect(() => wrong.reseal(old, 'row 1')).toThrow();
});
