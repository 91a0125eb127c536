import type { getRehearsal as contract } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';

/** The time of rehearsals that are so many days ahead. */
export const rehearsalTime = (time: Date, aheadDays: number): Date => new Date(time.getTime() + aheadDays * dayMs);

const aheadStatement = statement<{ account_id: string; ahead_days: number }>(
  'rehearsals-ahead',
  'select account_id, ahead_days from rehearsal_clocks where account_id = any ($1)',
  { account_id: 'text', ahead_days: 'int4' },
);

/** How many days the rehearsals of accounts are ahead of the clock; an account that is not in the map, none. */
export async function readAheadDays(
  client: Pick<Client, 'query'>,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  if (accountIds.length === 0) return new Map();
  const { rows } = await client.query(aheadStatement([accountIds]));
  return new Map(rows.map(({ account_id, ahead_days }) => [account_id, ahead_days]));
}

/** What time it is for an account's orders: those of rehearsals, or those of real buyers. */
export async function timeOf(
  { database, clock }: { readonly database: Pick<Database, 'pool'>; readonly clock: Clock },
  accountId: string,
  test: boolean,
): Promise<Date> {
  const now = clock.now();
  if (!test) return now;
  return rehearsalTime(now, (await readAheadDays(database.pool, [accountId])).get(accountId) ?? 0);
}

/** What time it is for the account's rehearsals. */
export async function getRehearsal(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  accountId: string,
): Promise<RequestOutput<typeof contract>> {
  const days = (await readAheadDays(database.pool, [accountId])).get(accountId) ?? 0;
  return { now: rehearsalTime(clock.now(), days).toISOString(), days_ahead: days };
}
