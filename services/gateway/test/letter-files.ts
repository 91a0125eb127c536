import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { harness } from './set-up.ts';

/** The texts of the letters to the address, oldest first; one that is being written has another name. */
export const lettersTo = (email: string): string[] =>
  readdirSync(harness.emails)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => readFileSync(join(harness.emails, name), 'latin1').replaceAll('=\r\n', '').replaceAll('=3D', '='))
    .filter((text) => text.includes(`To: ${email}`));
