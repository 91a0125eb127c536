import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/payment-processors';
import { invalidField, requireVersion } from '@app/contracts/validation';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { KnownProcessors, ProcessorName } from '../processor-registry.ts';
import type { ProcessorSecrets } from '../processor-secrets.ts';
import { checkKeys, currentKeysOf, currentKeysStatement, type StripeSettingsDeps, storeKeys } from './stored-keys.ts';
import type { Transaction } from './transaction.ts';

export interface ProcessorSettingsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: ProcessorSecrets;
  readonly processors: KnownProcessors;
  readonly stripe: StripeSettingsDeps;
}

type Resource = RequestOutput<typeof contract.getPaymentProcessor>;
type Body = RequestInput<typeof contract.putPaymentProcessor>['body'];

interface ChosenRow {
  readonly processor: ProcessorName | 'none';
  readonly has_secret: boolean;
  readonly updated_at: Date;
  readonly version: number;
}

const columns = 'processor, secret_key is not null as has_secret, updated_at, version';

const chosenStatement = statement<ChosenRow>(
  'processor-settings-chosen',
  `select ${columns} from processor_settings where account_id = $1 and chosen`,
  { has_secret: 'bool', processor: 'text', updated_at: 'timestamptz', version: 'int4' },
);

/** Of an account that has chosen nothing. */
const firstVersion = 1;

/**
 * The processor of the account's live payments, `none` where it has chosen none that this deployment allows. It says which
 * secrets are stored, and shows none.
 */
export async function getPaymentProcessor(
  { database, processors }: Pick<ProcessorSettingsDeps, 'database' | 'processors'>,
  accountId: string,
): Promise<Resource> {
  const [chosen, keys] = await Promise.all([
    database.pool.query(chosenStatement([accountId])),
    database.pool.query(currentKeysStatement([accountId, stripe])),
  ]);
  const [row] = chosen.rows;
  if (row === undefined) {
    return { processor: processors.defaultName, secrets: [], updated_at: null, version: firstVersion, stripe: null };
  }
  return resourceOf(processors.allows(row.processor) ? row : { ...row, processor: 'none' }, keys.rows);
}

/** Of the notification that the stored key cannot be opened; a new key may be unreadable too, and is notified anew. */
export const keyUnreadableKey = (processor: string): string => `key unreadable ${processor}`;

/** Of two changes of an account's processor at once the second waits. */
export const lockStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'processor-settings-lock',
  `select pg_advisory_xact_lock(hashtextextended('payment processor ' || $1, 0))`,
  { pg_advisory_xact_lock: 'void' },
);
const forgetNotificationStatement = statement(
  'processor-settings-forget-notification',
  'delete from sent_notifications where account_id = $1 and notification_key = $2',
);
const unchooseStatement = statement(
  'processor-settings-unchoose',
  `
  update processor_settings set chosen = false where account_id = $1 and chosen and processor <> $2`,
);
const chooseStatement = statement<ChosenRow>(
  'processor-settings-choose',
  `
  insert into processor_settings as kept (account_id, processor, chosen, secret_key, updated_at, version)
  values ($1, $2, true, $3, $4, $5)
  on conflict (account_id, processor) do update set chosen = true,
    secret_key = coalesce(excluded.secret_key, kept.secret_key), updated_at = excluded.updated_at,
    version = excluded.version
  returning ${columns}`,
  { processor: 'text', has_secret: 'bool', updated_at: 'timestamptz', version: 'int4' },
);

const soldStatement = statement<{ readonly sold: boolean }>(
  'processor-settings-sold',
  'select exists (select from payments where account_id = $1 and processor = $2 and not test) as sold',
  { sold: 'bool' },
);

/**
 * Chooses the processor of the account's new payments. A secret that is left out stays as it is stored; those of other
 * processors stay for payments that were made with them. Keys of Stripe are stored once Stripe has said whose they are.
 * @throws DomainError version_changed, validation_failed for a processor that this deployment forbids, and for keys that are refused;
 * invalid_transition where something is open at another Stripe account, or live payments went through Stripe before
 */
export async function putPaymentProcessor(
  deps: ProcessorSettingsDeps,
  accountId: string,
  commandId: string,
  { body, ifVersion }: RequestInput<typeof contract.putPaymentProcessor>,
): Promise<Resource> {
  requireFitting(deps, body);
  const { database, secrets, processors } = deps;
  const { processor, secretKey } = body;
  const keys = await checkKeys(deps.stripe, accountId, body);
  const sealed = secretKey === undefined ? null : secrets.seal(secretKey, accountId, processor);
  const now = deps.clock.now();
  const resource = await runCommandOnce<Resource>(database.fork(), commandId, async (tx) => {
    // Of two changes at once the second waits here, and then sees the first one's choice.
    await executeBound(tx, lockStatement([accountId]));
    const [before] = await executeBound(tx, chosenStatement([accountId]));
    const version = before?.version ?? firstVersion;
    requireVersion(version, ifVersion);
    if (processor === simulated) await requireNothingSold(tx, accountId);
    for (const pair of keys) await storeKeys(tx, { accountId, processor, secrets, now }, pair);
    await executeBound(tx, unchooseStatement([accountId, processor]));
    if (sealed !== null || keys.length > 0)
      await executeBound(tx, forgetNotificationStatement([accountId, keyUnreadableKey(processor)]));
    const [row] = await executeBound(tx, chooseStatement([accountId, processor, sealed, now, version + 1]));
    const stored = await executeBound(tx, currentKeysStatement([accountId, stripe]));
    if (processor === stripe && stored.length === 0)
      throw invalidField('live', 'is required, because no keys are stored yet', 'required');
    return resourceOf(row as ChosenRow, stored);
  });
  processors.forget(accountId);
  if (keys.length > 0) deps.stripe.wakeEndpoints();
  return resource;
}

const [simulated, stripe]: readonly ['simulated', 'stripe'] = ['simulated', 'stripe'];

function requireFitting({ processors }: ProcessorSettingsDeps, { processor, secretKey, live, test }: Body): void {
  if (!processors.allows(processor)) {
    const setting = processor === simulated ? 'SIMULATED_PROCESSOR' : 'STRIPE_PROCESSOR';
    throw invalidField('processor', `is switched off on this deployment (${setting})`, 'not_allowed');
  }
  if (processor !== simulated && secretKey !== undefined) {
    throw invalidField('secretKey', 'cannot be given for the simulated processor', 'not_allowed');
  }
  if (processor !== stripe && (live !== undefined || test !== undefined)) {
    throw invalidField(live === undefined ? 'test' : 'live', 'can be given for stripe alone', 'not_allowed');
  }
}

/** Who has charged real cards sells nothing through a processor that moves no money. */
async function requireNothingSold(tx: Transaction, accountId: string): Promise<void> {
  const [row] = await executeBound(tx, soldStatement([accountId, stripe]));
  if (row?.sold !== true) return;
  const detail =
    'Live payments of this account went through Stripe, so they cannot be simulated any more. Choose `none` to take no payments.';
  throw new DomainError('invalid_transition', detail);
}

function resourceOf(
  { processor, has_secret, updated_at, version }: ChosenRow,
  keys: Parameters<typeof currentKeysOf>[0],
): Resource {
  const stored = currentKeysOf(keys);
  const ofStripe = (['live', 'test'] as const).flatMap((mode) => (stored[mode] === null ? [] : [`${mode}.secretKey`]));
  return {
    processor,
    secrets: processor === stripe ? ofStripe : has_secret ? ['secretKey'] : [],
    updated_at: updated_at.toISOString(),
    version,
    stripe: keys.length === 0 ? null : stored,
  };
}
