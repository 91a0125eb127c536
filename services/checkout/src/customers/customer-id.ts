import { hash } from 'node:crypto';
import { emailKey } from '@app/contracts/email-key';
import { idPrefixes, idSuffixOf } from '@app/contracts/ids';

/**
 * The id of a buyer of an account: the same for every spelling of one mailbox, and for ever. The account's id, of which 74 bits are
 * random, goes into the digest, so that the id alone confirms no guess of an address. Its characters are those of other ids; they
 * hold no time.
 */
export function customerIdOf(accountId: string, email: string): string {
  const digest = hash('sha256', `customer\0${accountId}\0${emailKey(email)}`, 'buffer');
  return `${idPrefixes.customer}_${idSuffixOf(digest.readUIntBE(0, 6), digest.subarray(6))}`;
}
