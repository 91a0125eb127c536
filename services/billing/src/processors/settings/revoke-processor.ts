import { accountTakenBack } from '@app/contracts/accounts';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { KnownProcessors } from '../processor-registry.ts';
import { lockStatement } from './processor-settings.ts';

/** Nothing was chosen before there is a row. The version rises, so that a form that was opened before is refused. */
const unchooseStatement = statement<{ version: number }>(
  'processor-revoke-unchoose',
  `update processor_settings set chosen = false, secret_key = null where account_id = $1 and (chosen or secret_key is not null)
   returning version`,
  { version: 'int4' },
);
const chooseNoneStatement = statement(
  'processor-revoke-choose',
  `insert into processor_settings (account_id, processor, chosen, updated_at, version) values ($1, 'none', true, $2, $3)
   on conflict (account_id, processor) do update set chosen = true, updated_at = excluded.updated_at, version = excluded.version`,
);
/** With them nothing that was begun at their accounts goes on there. */
const forgetKeysStatement = statement('processor-revoke-keys', 'delete from processor_keys where account_id = $1');
/** Events of those accounts are refused from then on. */
const forgetWebhooksStatement = statement(
  'processor-revoke-webhooks',
  'delete from processor_webhooks where account_id = $1',
);
const forgetDomainsStatement = statement(
  'processor-revoke-domains',
  'delete from processor_domains where account_id = $1',
);

async function revoke(client: Client, accountId: string, now: Date): Promise<void> {
  await client.query(lockStatement([accountId]));
  const { rows } = await client.query(unchooseStatement([accountId]));
  const version = Math.max(0, ...rows.map((row) => row.version));
  if (version > 0) await client.query(chooseNoneStatement([accountId, now, version + 1]));
  for (const forget of [forgetKeysStatement, forgetWebhooksStatement, forgetDomainsStatement])
    await client.query(forget([accountId]));
}

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly processors: Pick<KnownProcessors, 'forget'>;
}

/** Of one account: no payment begins through what was stored. Repeating it changes nothing more. */
export async function revokeProcessor({ database, clock, processors }: Deps, accountId: string): Promise<{ ok: true }> {
  await database.transaction((client) => revoke(client, accountId, clock.now()));
  processors.forget(accountId);
  return { ok: true };
}

/** Of accounts that were taken back, also where no request arrived. */
export const onTakenBack = ({ clock, processors }: Omit<Deps, 'database'>): EventHandler =>
  onEvent(accountTakenBack, async (events, client, onCommit) => {
    const accountIds = [...new Set(events.map(({ accountId }) => accountId))].sort();
    for (const accountId of accountIds) await revoke(client, accountId, clock.now());
    onCommit(() => {
      for (const accountId of accountIds) processors.forget(accountId);
    });
  });
