import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type * as contract from '@app/contracts/payments';
import { invalidField } from '@app/contracts/validation';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { KnownProcessors, ProcessorName } from './processor-registry.ts';
import type { ProcessorSecrets } from './processor-secrets.ts';

export interface ProcessorSettingsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: ProcessorSecrets;
  readonly processors: KnownProcessors;
}

type Resource = RequestOutput<typeof contract.getPaymentProcessor>;
type Body = RequestInput<typeof contract.putPaymentProcessor>['body'];

interface ChosenRow {
  readonly processor: ProcessorName;
  readonly has_secret: boolean;
  readonly updated_at: Date;
}

const columns = 'processor, secret_key is not null as has_secret, updated_at';

const chosenStatement = statement<ChosenRow>(
  'processor-settings-chosen',
  `select ${columns} from processor_settings where account_id = $1 and chosen`,
  { has_secret: 'bool', processor: 'text', updated_at: 'timestamptz' },
);

/**
 * The processor of the account's live payments, `none` where it has chosen none that this deployment allows. It says which
 * secrets are stored, and shows none.
 */
export async function getPaymentProcessor(
  { database, processors }: Pick<ProcessorSettingsDeps, 'database' | 'processors'>,
  accountId: string,
): Promise<Resource> {
  const { rows } = await database.pool.query(chosenStatement([accountId]));
  const [row] = rows;
  if (row === undefined) return { processor: processors.defaultName, secrets: [], updated_at: null };
  return { ...resourceOf(row), ...(!processors.allows(row.processor) && { processor: 'none' }) };
}

/** Of the notification that the stored key cannot be opened; a new key may be unreadable too, and is a new subject. */
export const keyUnreadableSubject = (processor: string): string => `key unreadable ${processor}`;

const lockStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'processor-settings-lock',
  `select pg_advisory_xact_lock(hashtextextended('payment processor ' || $1, 0))`,
  { pg_advisory_xact_lock: 'void' },
);
const forgetNotificationStatement = statement(
  'processor-settings-forget-notification',
  'delete from sent_notifications where account_id = $1 and subject = $2',
);
const unchooseStatement = statement(
  'processor-settings-unchoose',
  `
  update processor_settings set chosen = false where account_id = $1 and chosen and processor <> $2`,
);
const chooseStatement = statement<ChosenRow>(
  'processor-settings-choose',
  `
  insert into processor_settings as kept (account_id, processor, chosen, secret_key, updated_at)
  values ($1, $2, true, $3, $4)
  on conflict (account_id, processor) do update set
    chosen = true, secret_key = coalesce(excluded.secret_key, kept.secret_key), updated_at = excluded.updated_at
  returning ${columns}`,
  { processor: 'text', has_secret: 'bool', updated_at: 'timestamptz' },
);

/**
 * Chooses the processor of the account's new payments. A secret that is left out stays as it is stored; those of other
 * processors stay for payments that were made with them.
 * @throws DomainError validation_failed for a processor that this deployment forbids
 */
export async function putPaymentProcessor(
  deps: ProcessorSettingsDeps,
  accountId: string,
  commandId: string,
  { processor, secretKey }: Body,
): Promise<Resource> {
  if (!deps.processors.allows(processor)) {
    throw invalidField('processor', 'is switched off on this deployment (SIMULATED_PROCESSOR)', 'not_allowed');
  }
  const sealed = secretKey === undefined ? null : deps.secrets.seal(secretKey, accountId, processor);
  const resource = await runCommandOnce<Resource>(deps.database.fork(), commandId, async (tx) => {
    // Of two changes at once the second waits here, and then sees the first one's choice.
    await executeBound(tx, lockStatement([accountId]));
    await executeBound(tx, unchooseStatement([accountId, processor]));
    if (sealed !== null)
      await executeBound(tx, forgetNotificationStatement([accountId, keyUnreadableSubject(processor)]));
    const [row] = await executeBound(tx, chooseStatement([accountId, processor, sealed, deps.clock.now()]));
    return resourceOf(row as ChosenRow);
  });
  deps.processors.forget(accountId);
  return resource;
}

const resourceOf = ({ processor, has_secret, updated_at }: ChosenRow): Resource => ({
  processor,
  secrets: has_secret ? ['secretKey'] : [],
  updated_at: updated_at.toISOString(),
});
