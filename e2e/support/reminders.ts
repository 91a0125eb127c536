import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '@app/testing/sql';
import type { Seller } from './seller.ts';
import type { SharedPlatform } from './shared-platform.ts';

/** The reminders that went out, without soft line breaks. Letters of the gateway are files here too. */
export const reminderTexts = ({ emails }: Pick<SharedPlatform, 'emails'>): string[] =>
  readdirSync(emails)
    .filter((name) => name.startsWith('rmd'))
    .map((name) => readFileSync(join(emails, name), 'latin1').replaceAll('=\r\n', '').replaceAll('=3D', '='));

/** Lets a checkout stall and the daily job run. The token of the link in its reminder. */
export async function remindedOf(
  platform: SharedPlatform,
  seller: Seller,
  checkoutId: string,
  email: string,
): Promise<string> {
  const stall = `update checkouts set created_at = created_at - interval '2 hours' where id = $1`;
  await query(platform.databaseUrl('checkout'), stall, [checkoutId]);
  await seller.call('POST', '/api/cron/daily');
  const text = reminderTexts(platform).find((one) => one.includes(`To: ${email}`)) ?? '';
  const [, token] = /(?:\/c\/restore\/|#restore=)([\w-]+)/.exec(text) ?? [];
  if (token === undefined) throw new Error(`no reminder to ${email}`);
  return token;
}
