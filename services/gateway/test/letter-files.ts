import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { announced } from '@app/testing/points';
import { letterAttempted } from '../src/points/points.ts';
import { send } from './http.ts';
import { harness } from './set-up.ts';

/** Those that tell the owner of what redirects money or data. */
const tellsOfChange = (text: string): boolean => text.includes('Subject: A change to your account');

/** The texts of the other letters to the address, oldest first. */
export const lettersTo = (email: string): string[] => allLettersTo(email).filter((text) => !tellsOfChange(text));

export const changesToldTo = (email: string): string[] => allLettersTo(email).filter(tellsOfChange);

/** One that is being written has another name. */
const allLettersTo = (email: string): string[] =>
  readdirSync(harness.emails)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => readFileSync(join(harness.emails, name), 'latin1').replaceAll('=\r\n', '').replaceAll('=3D', '='))
    .filter((text) => text.includes(`To: ${email}`));

/** Gives the account of a key an address for support, which confirms by its letter. */
export async function confirmedSupport(url: string, key: string, supportEmail: string): Promise<void> {
  await send(url, 'PATCH', '/api/v1/settings', { key, body: { supportEmail } });
  await announced(letterAttempted, ({ to, kind }) => to === supportEmail && kind === 'support_email');
  const token = /\/letters\/support-email\/([\w-]{43})/.exec(lettersTo(supportEmail).join())?.[1] ?? '';
  await send(url, 'POST', '/api/auth/support-email/redeem', { body: { token } });
}
