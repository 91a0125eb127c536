import { createSealedBox, type Secrets } from '@app/service-kit/sealed-box';

/** Encrypts accounts' API keys of processors for the database and its backups. */
export interface ProcessorSecrets {
  /** Opens for this account and this processor alone. */
  seal(secretKey: string, accountId: string, processor: string): Buffer;
  /** @throws Error when the key was sealed for others, under another `SECRETS_KEY` or in another version, or was altered */
  open(sealed: Buffer, accountId: string, processor: string): string;
  /** Sealed anew where it is not under the `SECRETS_KEY` of today, else null. @throws Error as `open` does */
  reseal(sealed: Buffer, accountId: string, processor: string): Buffer | null;
}

/**
 * What a key of a processor with a test mode is sealed for, in place of the processor's name: this account there, and this mode.
 */
export const keyPurpose = (processor: string, test: boolean, atProcessor: string): string =>
  `${processor} ${test ? 'test' : 'live'} ${atProcessor}`;

export function createProcessorSecrets(secretsKeys: Secrets): ProcessorSecrets {
  const box = createSealedBox(secretsKeys, 'payment processor secrets');
  // Neither an account's id nor a processor's name contains a space.
  const boundTo = (accountId: string, processor: string): string => `${accountId} ${processor}`;
  return {
    seal: (secretKey, accountId, processor) => box.seal(Buffer.from(secretKey), boundTo(accountId, processor)),
    open: (sealed, accountId, processor) => box.open(sealed, boundTo(accountId, processor)).toString(),
    reseal: (sealed, accountId, processor) => box.reseal(sealed, boundTo(accountId, processor)),
  };
}
