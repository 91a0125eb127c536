import { Client } from '../../../../clients/typescript/client.ts';
import { readCredentials } from '../credentials.ts';

/** Which account of which deployment a command for developers is about. */
export interface Connection {
  readonly baseUrl: string;
  readonly client: Client;
}

/**
 * BASE and KEY of the environment, else those of the first seller in DATA_DIR.
 * @throws Error that says what to set
 */
export function openConnection(env: Readonly<Record<string, string | undefined>>): Connection {
  const dataDir = env.DATA_DIR ?? '.data';
  const credentials = env.BASE && env.KEY ? undefined : readCredentials(dataDir);
  const baseUrl = (env.BASE ?? credentials?.baseUrl ?? '').replace(/\/+$/, '');
  const key = env.KEY ?? credentials?.apiKey;
  if (baseUrl === '' || key === undefined)
    throw new Error(
      `Say which deployment: BASE=https://… KEY=fnl_…, or DATA_DIR of an npm start (${dataDir} has no credentials.json).`,
    );
  return { baseUrl, client: new Client({ baseUrl, key }) };
}

/**
 * What went wrong, in one line: `fetch` keeps in its cause why nobody answered. Where a name has several addresses that cause has a code
 * and no message.
 */
export function reasonOf(err: unknown): string {
  const { message, cause } = err as Error;
  if (!(cause instanceof Error)) return message;
  const { code = '' } = cause as NodeJS.ErrnoException;
  return `${message}: ${cause.message || code}`;
}
