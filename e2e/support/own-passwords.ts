import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseName, type ServiceName, serviceNames } from '@app/contracts/services';
import { connectNats } from '@app/messaging/connect';
import { natsOptions } from '@app/messaging/nats-options';
import { query } from '@app/testing/sql';
import { expect } from 'vitest';

interface Connections {
  readonly DATABASE_URL: string;
  readonly NATS_URL: string;
  readonly NATS_USER: string;
  readonly NATS_PASSWORD: string;
}

/** Of an `npm start` that runs: with what one service knows nobody opens another's database, or is another in NATS. */
export async function expectOwnPasswords(dataDir: string): Promise<void> {
  const all: Record<ServiceName, Connections> = JSON.parse(await readFile(join(dataDir, 'connections.json'), 'utf8'));
  const [first, ...others] = serviceNames;
  const own = new URL(all[first].DATABASE_URL);
  expect(await query(own.href, 'select 1 as one')).toEqual([{ one: 1 }]);
  for (const other of others) {
    const theirs = new URL(own);
    theirs.pathname = `/${databaseName(other)}`;
    await expect(query(theirs.href, 'select 1')).rejects.toThrow('permission denied for database');
    theirs.username = databaseName(other);
    await expect(query(theirs.href, 'select 1')).rejects.toThrow('password authentication failed');
    const nats = { ...natsOptions(all[first]), service: other, user: other };
    await expect(connectNats(nats)).rejects.toThrow(/authorization/i);
  }
  const passwords = serviceNames.flatMap((name) => [new URL(all[name].DATABASE_URL).password, all[name].NATS_PASSWORD]);
  expect(new Set(passwords).size).toBe(2 * serviceNames.length);
}
