import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountSettingsChanged } from '@app/contracts/accounts';
import { letterHandedOver } from '@app/gateway/points';
import { announced } from '@app/testing/points';
import type { startSmtpServer } from '@app/testing/smtp-server';
import { call, type Seller } from './seller.ts';
import { handled } from './waits.ts';

/**
 * Verifies the seller's address by the letter of their sign-up: only then do emails go to buyers.
 * @param from the folder into which the gateway writes letters, or its mail server
 * @throws when the letter or what follows from it does not come within 45 s
 */
export async function verifyAddress(
  baseUrl: string,
  seller: Seller,
  from: string | Awaited<ReturnType<typeof startSmtpServer>>,
): Promise<void> {
  const letter = typeof from === 'string' ? await letterInFolder(seller, from) : await letterByMail(seller, from);
  const plain = letter.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const [path = ''] = /\/letters\/verification\/[\w-]{43}/.exec(plain) ?? [];
  const { status } = await call(baseUrl, 'POST', path);
  if (status !== 200) throw new Error(`verification: ${status}`);
  // Settings travel by an event.
  for (const sender of ['checkout', 'webhook-dispatcher'] as const)
    await handled(
      sender,
      accountSettingsChanged,
      (data, accountId) => accountId === seller.accountId && data.emailVerified,
    );
}

async function letterInFolder({ email }: Seller, folder: string): Promise<string> {
  const [handedOver] = await announced(letterHandedOver, ({ to }) => to === email);
  return readFileSync(join(folder, `${handedOver?.letterId}.eml`), 'latin1');
}

async function letterByMail({ email }: Seller, server: Awaited<ReturnType<typeof startSmtpServer>>): Promise<string> {
  const [letter] = await server.receivedEmails(1, ({ to, text }) => to === email && text.includes('/letters/'));
  return letter?.text ?? '';
}
