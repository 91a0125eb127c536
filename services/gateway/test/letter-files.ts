import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
