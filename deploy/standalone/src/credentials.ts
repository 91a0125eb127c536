import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate, writePrivate } from './private-file.ts';

const credentialsSchema = z.object({
  baseUrl: z.string(),
  email: z.string().min(1),
  password: z.string().min(1),
  apiKey: z.string().min(1),
  platformKey: z.string().min(1),
});

/** How the first seller signs in and calls. */
export type Credentials = Readonly<z.output<typeof credentialsSchema>>;

export const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json');

/** Undefined when there is none. */
export function readCredentials(dataDir: string): Credentials | undefined {
  const help =
    'Put it back from your backup, or start once with `npm start -- --new-credentials`: it makes a new API key and a ' +
    'new password, and the keys of before go on working.';
  return readPrivate(credentialsFile(dataDir), credentialsSchema, help);
}

export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writePrivate(credentialsFile(dataDir), credentials);
}
