import { createSealedBox } from '@app/service-kit/sealed-box';
import { expect, test } from 'vitest';
import { createResponseBox } from './response-box.ts';

const box = createResponseBox(['a secret of the deployment']);
const body = Buffer.from('{"key":"fnl_secret"}');
const withoutVersion = Buffer.from('Ea1nzq+6SGexIAo/YbAxqgemaA7QSp6ImbxBQW9utxnoiS1dk+ZsFcog9JmjAPYA', 'base64');

test('what is sealed comes back byte for byte, and cannot be read in between', () => {
  const sealed = box.seal(body, 'acc_1 k');
  expect(sealed.includes('fnl_secret')).toBe(false);
  expect(box.open(sealed, 'acc_1 k')).toEqual(body);
});

test('it opens neither for another record, nor under another secret, nor when changed', () => {
  const sealed = box.seal(body, 'acc_1 k');
  expect(() => box.open(sealed, 'acc_2 k')).toThrow();
  expect(() => createResponseBox(['another secret']).open(sealed, 'acc_1 k')).toThrow();
  sealed[sealed.length - 1] = (sealed.at(-1) as number) ^ 1;
  expect(() => box.open(sealed, 'acc_1 k')).toThrow();
});

test('a response that was stored without a version opens, for its record alone', () => {
  expect(box.open(withoutVersion, 'acc_1 k')).toEqual(body);
  expect(() => box.open(withoutVersion, 'acc_2 k')).toThrow();
});

const long = Buffer.from(
  JSON.stringify({ data: Array.from({ length: 50 }, (_, n) => ({ id: `prod_${n}`, name: 'A course' })) }),
);

test('a long answer is sealed compressed, and comes back byte for byte for its record alone', () => {
  const sealed = box.seal(long, 'acc_1 k');
  expect(sealed.length).toBeLessThan(long.length / 2);
  expect(box.open(sealed, 'acc_1 k')).toEqual(long);
  expect(() => box.open(sealed, 'acc_2 k')).toThrow();
});

const earlier = 'a secret of the deployment';
const rotated = createResponseBox(['the next secret', earlier]);
const after = createResponseBox(['the next secret']);

test.each([
  ['short', () => box.seal(body, 'acc_1 k'), body],
  ['compressed', () => box.seal(long, 'acc_1 k'), long],
  [
    'long, from before answers were compressed',
    () => createSealedBox([earlier], 'idempotency-records').seal(long, 'acc_1 k'),
    long,
  ],
  ['short, from before values had a version', () => withoutVersion, body],
])(
  'an answer that is %s opens without the earlier secret once it is sealed anew, which changes it once',
  (_, seal, plain) => {
    const resealed = rotated.reseal(seal(), 'acc_1 k') as Buffer;
    expect(after.open(resealed, 'acc_1 k')).toEqual(plain);
    expect(rotated.open(resealed, 'acc_1 k')).toEqual(plain);
    expect(rotated.reseal(resealed, 'acc_1 k')).toBeNull();
    expect(() => rotated.reseal(seal(), 'acc_2 k')).toThrow();
  },
);
