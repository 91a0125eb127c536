import { invalidField } from '@app/contracts/validation';

/** Digits and signs at the end, as people add them to a word that was refused: `dragon2026!`. */
const additions = /[^\p{L}]{1,5}$/u;
const oneCharacter = /^(.)\1*$/su;

/**
 * Refuses a password that attackers guess first: one of the 49,000 commonest, the account's own email address or one of
 * its two parts, also with up to five digits and signs after it, and one character over and over. Case does not count.
 * Its length is the schema's (`newPassword` in `@app/contracts/accounts`).
 * @param field of the request that has the password
 * @throws DomainError validation_failed
 */
export async function checkNewPassword(password: string, email: string, field = 'password'): Promise<void> {
  const typed = password.normalize('NFKC').toLowerCase().trim();
  const forms = [typed, typed.replace(additions, '')];
  const address = email.toLowerCase();
  const ofAddress = [address, ...address.split('@')];
  if (forms.some((form) => ofAddress.includes(form))) {
    throw invalidField(field, 'must not be the email address of the account or a part of it', 'own_address');
  }
  const common = await commonPasswords();
  if (oneCharacter.test(typed) || forms.some((form) => common.has(form))) {
    throw invalidField(field, 'must not be one of the commonest passwords: attackers try those first', 'too_common');
  }
}

let loaded: Promise<ReadonlySet<string>> | undefined;

/** Lower-cased. Loaded with the first new password: 40 ms and 5 MB that most starts of a gateway do without. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common']),
  );
  return loaded;
}
