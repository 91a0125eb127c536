import { dayMs } from '@app/contracts/durations';
import { executeBound } from '@app/service-kit/bound-sql';
import { type Database, statement } from '@app/service-kit/database';
import { keyPurpose, type ProcessorSecrets } from '../processor-secrets.ts';
import type { Transaction } from './transaction.ts';

/** Whose events a secret signs: those of an account at the processor, in one mode. */
export interface WebhookOf {
  readonly accountId: string;
  readonly processor: string;
  readonly test: boolean;
  readonly atProcessor: string;
}

/** What a secret is sealed for: a key of the same account there is sealed for something else. */
export const secretPurpose = ({ processor, test, atProcessor }: WebhookOf): string =>
  `webhook ${keyPurpose(processor, test, atProcessor)}`;

export const sealWebhookSecret = (secrets: ProcessorSecrets, of: WebhookOf, secret: string): Buffer =>
  secrets.seal(secret, of.accountId, secretPurpose(of));

interface SecretsRow {
  readonly test: boolean;
  readonly at_processor: string;
  readonly secret: Buffer | null;
  readonly earlier_secret: Buffer | null;
}

const secretsStatement = statement<SecretsRow>(
  'processor-webhooks-secrets',
  `select test, at_processor, secret, case when earlier_until > $3 then earlier_secret end as earlier_secret
   from processor_webhooks
   where account_id = $1 and processor = $2 and (secret is not null or earlier_until > $3)`,
  { at_processor: 'text', earlier_secret: 'bytea', secret: 'bytea', test: 'bool' },
);

/**
 * The secrets by which the account's events may be signed: for each stored key one, and the one before it while it counts.
 * @param onUnreadable gets why one cannot be opened, as after a change of `SECRETS_KEY`: it is left out
 */
export async function webhookSecrets(
  { pool }: Database,
  secrets: ProcessorSecrets,
  { accountId, processor }: Pick<WebhookOf, 'accountId' | 'processor'>,
  onUnreadable: (err: unknown) => void,
): Promise<readonly (WebhookOf & { readonly secret: string })[]> {
  const { rows } = await pool.query(secretsStatement([accountId, processor, new Date()]));
  const opened = (sealed: Buffer | null, of: WebhookOf) => {
    if (sealed === null) return [];
    try {
      return [{ ...of, secret: secrets.open(sealed, accountId, secretPurpose(of)) }];
    } catch (err) {
      onUnreadable(err);
      return [];
    }
  };
  return rows.flatMap(({ test, at_processor: atProcessor, secret, earlier_secret }) => {
    const of = { accountId, processor, test, atProcessor };
    return [...opened(secret, of), ...opened(earlier_secret, of)];
  });
}

/** Stripe signs with both secrets of an endpoint for a day at most after one replaced the other. */
export const rotationMs = dayMs;

const storeStatement = statement(
  'processor-webhooks-store',
  `insert into processor_webhooks as w (account_id, processor, test, at_processor, status, secret)
   values ($1, $2, $3, $4, 'by_hand', $5)
   on conflict (account_id, processor, test, at_processor) do update set status = 'by_hand', secret = excluded.secret,
     earlier_secret = w.secret, earlier_until = case when w.secret is not null then $6::timestamptz end, attempts = 0,
     next_attempt_at = case when w.endpoint_id is not null or w.claimed_until is not null
       then greatest($7::timestamptz, w.claimed_until) end`,
);

/**
 * Stores the secret of an endpoint that the seller made; the one before counts for a day more. What the platform made, or may be
 * making, is deleted afterwards: the seller's wins.
 */
export async function storeWebhookSecret(
  tx: Transaction,
  secrets: ProcessorSecrets,
  of: WebhookOf,
  secret: string,
  now: Date,
): Promise<void> {
  const { accountId, processor, test, atProcessor } = of;
  const sealed = sealWebhookSecret(secrets, of, secret);
  const earlierUntil = new Date(Date.now() + rotationMs);
  await executeBound(tx, storeStatement([accountId, processor, test, atProcessor, sealed, earlierUntil, now]));
}

const expectStatement = statement(
  'processor-webhooks-expect',
  `insert into processor_webhooks as w (account_id, processor, test, at_processor, status, next_attempt_at)
   values ($1, $2, $3, $4, 'pending', $5)
   on conflict (account_id, processor, test, at_processor) do update set attempts = 0,
     status = case when w.secret is null then 'pending' else w.status end,
     next_attempt_at = greatest($5, w.claimed_until)
   where w.status <> 'by_hand'`,
);

/** Lets the platform make an endpoint with a key that was just stored, or compare the one that it made, unless the seller made one. */
export async function expectWebhook(tx: Transaction, of: WebhookOf, now: Date): Promise<void> {
  const { accountId, processor, test, atProcessor } = of;
  await executeBound(tx, expectStatement([accountId, processor, test, atProcessor, now]));
}

const forgetStatement = statement(
  'processor-webhooks-forget',
  `update processor_webhooks set status = 'pending', secret = null, earlier_secret = secret, earlier_until = $5
   where account_id = $1 and processor = $2 and test = $3 and at_processor = $4 and status = 'by_hand'`,
);

/** Forgets the secret that the seller stored, which counts for a day more: the platform makes the endpoint again. */
export async function forgetWebhookSecret(tx: Transaction, of: WebhookOf): Promise<void> {
  const { accountId, processor, test, atProcessor } = of;
  const earlierUntil = new Date(Date.now() + rotationMs);
  await executeBound(tx, forgetStatement([accountId, processor, test, atProcessor, earlierUntil]));
}

const leaveStatement = statement(
  'processor-webhooks-leave',
  `update processor_webhooks set attempts = 0, next_attempt_at = greatest($5, claimed_until)
   where account_id = $1 and processor = $2 and test = $3 and at_processor <> $4
     and (endpoint_id is not null or claimed_until is not null)`,
);

/** Lets the platform delete what it made at the accounts there that the keys were of before. @param of the account that they are of now */
export async function leaveOtherWebhooks(tx: Transaction, of: WebhookOf, now: Date): Promise<void> {
  const { accountId, processor, test, atProcessor } = of;
  await executeBound(tx, leaveStatement([accountId, processor, test, atProcessor, now]));
}
