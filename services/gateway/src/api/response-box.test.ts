import { expect, test } from 'vitest';
import { createResponseBox } from './response-box.ts';

const box = createResponseBox(['a secret of the deployment']);
const body = Buffer.from('{"key":"fnl_secret"}');

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
  const sealed = Buffer.from('Ea1nzq+6SGexIAo/YbAxqgemaA7QSp6ImbxBQW9utxnoiS1dk+ZsFcog9JmjAPYA', 'base64');
  expect(box.open(sealed, 'acc_1 k')).toEqual(body);
  expect(() => box.open(sealed, 'acc_2 k')).toThrow();
});
