import { slug } from '@app/contracts/common';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { handleFrom } from './handle.rules.ts';

test.each([
  ['Maya’s Studio', 'mayas-studio'],
  ['  Café & Crème  ', 'cafe-creme'],
  ['東京', 'shop'],
  ['--', 'shop'],
  ['Opt-out', 'opt-out-shop'],
])('%s becomes %s', (name, handle) => expect(handleFrom(name)).toBe(handle));

test('every name gives a valid handle', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => slug.safeParse(handleFrom(name)).success));
});
