import { expect, test } from 'vitest';
import { createBodySeal } from './sealed-body.ts';

const seal = createBodySeal('a secret of the deployment');
const body = Buffer.from('{"key":"fnl_secret"}');

test('what is sealed comes back byte for byte, and cannot be read in between', () => {
  const sealed = seal.seal(body, 'acc_1 k');
  expect(sealed.includes('fnl_secret')).toBe(false);
  expect(seal.open(sealed, 'acc_1 k')).toEqual(body);
});

test('it opens neither for another record, nor under another secret, nor when changed', () => {
  const sealed = seal.seal(body, 'acc_1 k');
  expect(() => seal.open(sealed, 'acc_2 k')).toThrow();
  expect(() => createBodySeal('another secret').open(sealed, 'acc_1 k')).toThrow();
  sealed[sealed.length - 1] = (sealed.at(-1) as number) ^ 1;
  expect(() => seal.open(sealed, 'acc_1 k')).toThrow();
});
