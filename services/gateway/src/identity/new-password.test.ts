import { expect, test } from 'vitest';
import { checkNewPassword } from './new-password.ts';

const email = 'maya.lindqvist@shop-of-maya.example';
const common = { code: 'validation_failed', errors: [{ field: 'password', code: 'too_common' }] };
const own = { code: 'validation_failed', errors: [{ field: 'password', code: 'own_address' }] };

test.each([
  ['on the list', 'qwertyuiop'],
  ['on the list, in capitals', 'QWERTYUIOP'],
  ['a word of the list with digits and a sign after it', 'Dragon2026!'],
  ['in full-width letters', 'ｐａｓｓｗｏｒｄ１２３'],
  ['one character over and over', '!!!!!!!!!!!!'],
])('a password that is common is refused: %s', async (_, password) => {
  await expect(checkNewPassword(password, email)).rejects.toMatchObject(common);
});

test.each([
  ['the address', 'Maya.Lindqvist@shop-of-maya.example'],
  ['its local part', 'maya.lindqvist'],
  ['its local part and a year', 'maya.lindqvist2026'],
  ['its domain', 'shop-of-maya.example'],
])('a password of the own address is refused: %s', async (_, password) => {
  await expect(checkNewPassword(password, email)).rejects.toMatchObject(own);
});

test.each(['a long password', 'correct horse battery', 'lindqvist-and-the-dragon', 'qwertyuiop and more'])(
  'a password that others do not use is taken: %s',
  async (password) => {
    await expect(checkNewPassword(password, email)).resolves.toBeUndefined();
  },
);

test('the error names the field of the request that has the password', async () => {
  const errors = [{ field: 'newPassword', code: 'too_common' }];
  await expect(checkNewPassword('1234567890', email, 'newPassword')).rejects.toMatchObject({ errors });
});
