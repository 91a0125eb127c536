import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountSettingsChanged } from '@app/contracts/accounts';
import { letterAttempted } from '@app/gateway/points';
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
  const letter =
    typeof from === 'string' ? await letterTo(seller.email, from, 'verification') : await letterByMail(seller, from);
  const { status } = await call(baseUrl, 'POST', letterPath(letter, 'verification'), {
    headers: { cookie: seller.session },
  });
  if (status !== 200) throw new Error(`verification: ${status}`);
  // Settings travel by an event.
  for (const sender of ['checkout', 'webhook-dispatcher'] as const)
    await handled(
      sender,
      accountSettingsChanged,
      (data, accountId) => accountId === seller.accountId && data.emailVerified,
    );
}

/**
 * Gives the seller an address for support, which confirms by its letter, and waits until emails come from there.
 * @param from as `verifyAddress`
 */
export async function answerAt(
  baseUrl: string,
  seller: Seller,
  address: string,
  from: string | Awaited<ReturnType<typeof startSmtpServer>>,
): Promise<void> {
  const given = await seller.call('PATCH', '/api/v1/settings', { body: { supportEmail: address } });
  if (given.status !== 200) throw new Error(`support: ${given.status} ${given.text}`);
  const letter =
    typeof from === 'string'
      ? await letterTo(address, from, 'support_email')
      : await letterByMail({ email: address }, from);
  const { status } = await call(baseUrl, 'POST', letterPath(letter, 'support-email'));
  if (status !== 200) throw new Error(`support: ${status}`);
  await handled('webhook-dispatcher', accountSettingsChanged, (data) => data.supportEmail === address);
}

/**
 * The text of the first letter of a kind to an address.
 * @param folder into which the gateway writes letters
 * @param kind as services/gateway/src/identity/letters/letter-paths.ts names it
 */
export async function letterTo(email: string, folder: string, kind: string): Promise<string> {
  const [letter] = await announced(letterAttempted, (sent) => sent.to === email && sent.kind === kind);
  const text = readFileSync(join(folder, `${letter?.letterId}.eml`), 'latin1');
  return text.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

/** The path of the link in a letter, with its token. */
export function letterPath(
  letter: string,
  page: 'verification' | 'email-change' | 'password-reset' | 'support-email',
): string {
  return new RegExp(`/letters/${page}/[\\w-]{43}`).exec(letter)?.[0] ?? '';
}

async function letterByMail(
  { email }: Pick<Seller, 'email'>,
  server: Awaited<ReturnType<typeof startSmtpServer>>,
): Promise<string> {
  const [letter] = await server.receivedEmails(1, ({ to, text }) => to === email && text.includes('/letters/'));
  return (letter?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
}
