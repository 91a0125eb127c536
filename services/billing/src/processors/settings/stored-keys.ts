import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/payment-processors';
import type { StripeKeys } from '@app/contracts/payment-processors';
import { stripePermissions } from '@app/contracts/stripe-permissions';
import { invalidField } from '@app/contracts/validation';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import { NothingDoneError, type ProcessorCall } from '../port.ts';
import { keyPurpose, type ProcessorSecrets } from '../processor-secrets.ts';
import { StripeAnswerError } from '../stripe/stripe-errors.ts';
import type { AccountState, KeyOwner } from '../stripe/stripe-key-owner.ts';
import { expectDomains } from './expect-domains.ts';
import type { Transaction } from './transaction.ts';
import { expectWebhook, forgetWebhookSecret, leaveOtherWebhooks, storeWebhookSecret } from './webhook-secrets.ts';

type Body = RequestInput<typeof contract.putPaymentProcessor>['body'];
type KeyPair = NonNullable<Body['live']>;

export interface StripeSettingsDeps {
  /** Looks up at Stripe whose key it is. @throws NothingDoneError, StripeAnswerError */
  readonly keyOwner: (call: ProcessorCall, publishableKey: string) => Promise<KeyOwner>;
  /** A test has moved this deployment's clock. */
  readonly isClockMoved: () => boolean;
  /** How long Stripe may take, in milliseconds. */
  readonly deadlineMs: number;
  /** Called after keys were stored: their endpoint is due. */
  readonly wakeEndpoints: () => void;
}

/** A pair whose owner is known, before it is stored. */
export interface CheckedKeys extends KeyPair {
  readonly test: boolean;
  readonly owner: KeyOwner;
}

/**
 * The pairs of the body, each with its owner at Stripe.
 * @throws DomainError validation_failed for what is no key of its mode, or is not accepted there; service_unavailable where Stripe
 * cannot be reached
 */
export async function checkKeys(
  deps: StripeSettingsDeps,
  accountId: string,
  body: Body,
): Promise<readonly CheckedKeys[]> {
  const given = (['live', 'test'] as const).flatMap((mode) => {
    const pair = body[mode];
    return pair === undefined ? [] : [{ mode, pair }];
  });
  for (const { mode, pair } of given) checkForm(deps, mode, pair);
  return await Promise.all(
    given.map(async ({ mode, pair }) => {
      const call = {
        accountId,
        secretKey: pair.secretKey,
        test: mode === 'test',
        signal: AbortSignal.timeout(deps.deadlineMs),
      };
      const owner = await deps.keyOwner(call, pair.publishableKey).catch((err: unknown) => refuse(err, mode));
      requirePermissions(mode, owner);
      if (!owner.fitsPublishableKey) throw invalidField(`${mode}.publishableKey`, otherOwner, 'refused');
      return { ...pair, test: call.test, owner };
    }),
  );
}

const required = new Set(stripePermissions.filter(({ isRequired }) => isRequired).map(({ name }) => name));

function requirePermissions(mode: 'live' | 'test', { missingPermissions }: KeyOwner): void {
  const lacked = missingPermissions.filter((name) => required.has(name));
  if (lacked.length === 0) return;
  const detail = `lacks what every sale and renewal needs: ${lacked.join(', ')}. Give the key these permissions in your Stripe Dashboard, and store it again.`;
  throw invalidField(`${mode}.secretKey`, detail, 'refused');
}

const otherOwner = 'is not accepted by Stripe, or is of another Stripe account than the secret key';

function checkForm(
  { isClockMoved }: StripeSettingsDeps,
  mode: 'live' | 'test',
  { secretKey, publishableKey, webhookSecret }: KeyPair,
): void {
  const parts = [
    {
      field: `${mode}.secretKey`,
      key: secretKey,
      pattern: /^(?:sk|rk)_(live|test)_\w+$/,
      what: 'secret or restricted',
    },
    { field: `${mode}.publishableKey`, key: publishableKey, pattern: /^pk_(live|test)_\w+$/, what: 'publishable' },
  ];
  for (const { field, key, pattern, what } of parts) {
    const found = pattern.exec(key)?.[1];
    if (found === undefined) throw invalidField(field, `is not a ${what} key of Stripe`);
    if (found !== mode) throw invalidField(field, `is a key for ${found} mode`, 'wrong_mode');
  }
  if (typeof webhookSecret === 'string' && !/^whsec_\w+$/.test(webhookSecret)) {
    throw invalidField(
      `${mode}.webhookSecret`,
      'is not the signing secret of a webhook endpoint: it begins with whsec_',
    );
  }
  if (mode === 'live' && isClockMoved()) {
    throw invalidField(
      'live',
      'cannot be stored while the clock of this deployment is moved: renewals would charge too early',
      'not_allowed',
    );
  }
}

function refuse(err: unknown, mode: 'live' | 'test'): never {
  if (err instanceof NothingDoneError && (err.why === 'key_refused' || err.why === 'not_permitted')) {
    throw invalidField(`${mode}.secretKey`, `is not accepted. ${err.message}`, 'refused');
  }
  const isNo = err instanceof StripeAnswerError && err.status !== undefined && err.status < 500;
  if (isNo) throw invalidField(`${mode}.secretKey`, `cannot be used. ${err.message}`, 'refused');
  throw new DomainError(
    'service_unavailable',
    'Stripe did not answer whose key this is. Nothing was changed: repeat the request.',
  );
}

/** As the columns: whether it may charge, why not, and what Stripe wants. */
export const stateValues = (state: AccountState | null) =>
  [state?.mayCharge ?? null, state?.disabledReason ?? null, [...(state?.due ?? [])]] as const;

interface KeysRow {
  readonly test: boolean;
  readonly account: string;
  readonly account_name: string | null;
  readonly publishable_key: string;
  readonly settlement_currency: string | null;
  readonly missing_permissions: string[];
  readonly charges_enabled: boolean | null;
  readonly disabled_reason: string | null;
  readonly requirements_due: string[];
  readonly account_checked_at: Date | null;
  readonly stored_at: Date;
  readonly webhooks: StripeKeys['webhooks'];
  readonly last_event_at: Date | null;
  readonly left_endpoints: string[];
  readonly wallets: NonNullable<StripeKeys['wallets']>;
}

/** `left_endpoints`: what the platform made, does not want any more (`isWanted`) and has given up deleting. */
export const currentKeysStatement = statement<KeysRow>(
  'processor-keys-current',
  `select k.test, at_processor as account, k.name_there as account_name, k.publishable_key, k.settlement_currency, k.missing_permissions, k.stored_at,
     k.charges_enabled, k.disabled_reason, k.requirements_due, k.account_checked_at,
     coalesce(w.status, 'pending') as webhooks, w.last_event_at,
     array(select made.endpoint_id || ' (' || made.at_processor || ')'
       from processor_webhooks as made join processor_keys as of using (account_id, processor, test, at_processor)
       where made.account_id = $1 and made.processor = $2 and made.test = k.test and made.endpoint_id is not null
         and made.next_attempt_at is null and (made.status = 'by_hand' or not of.current)) as left_endpoints,
     json_build_object('status', coalesce(d.status, 'pending'), 'domains', coalesce(d.domains, '[]')) as wallets
   from processor_keys as k left join processor_webhooks as w using (account_id, processor, test, at_processor)
     left join processor_domains as d using (account_id, processor, test, at_processor)
   where account_id = $1 and processor = $2 and k.current`,
  {
    account: 'text',
    account_checked_at: 'timestamptz',
    account_name: 'text',
    charges_enabled: 'bool',
    disabled_reason: 'text',
    last_event_at: 'timestamptz',
    left_endpoints: 'text[]',
    missing_permissions: 'text[]',
    publishable_key: 'text',
    requirements_due: 'text[]',
    settlement_currency: 'text',
    stored_at: 'timestamptz',
    test: 'bool',
    wallets: 'json',
    webhooks: 'text',
  },
);
const openStatement = statement<{ readonly holds: number; readonly payments: number; readonly subscriptions: number }>(
  'processor-keys-open',
  `select
     (select count(*) from holds
      where account_id = $1 and processor = $2 and test = $3 and status in ('held', 'settling'))::int as holds,
     (select count(*) from payments
      where account_id = $1 and processor = $2 and test = $3 and next_check_at is not null)::int as payments,
     (select count(*) from subscriptions
      where account_id = $1 and coalesce(processor, $2) = $2 and test = $3 and status <> 'canceled'
        and collection = 'automatic' and payment_method is not null)::int as subscriptions`,
  { holds: 'int4', payments: 'int4', subscriptions: 'int4' },
);
const retireStatement = statement(
  'processor-keys-retire',
  'update processor_keys set current = false where account_id = $1 and processor = $2 and test = $3 and current and at_processor <> $4',
);
const storeStatement = statement(
  'processor-keys-store',
  `insert into processor_keys (account_id, processor, test, at_processor, name_there, secret_key, publishable_key,
     missing_permissions, settlement_currency, charges_enabled, disabled_reason, requirements_due, account_checked_at,
     current, stored_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, true, $14)
   on conflict (account_id, processor, test, at_processor) do update set name_there = excluded.name_there,
     secret_key = excluded.secret_key, publishable_key = excluded.publishable_key,
     missing_permissions = excluded.missing_permissions, settlement_currency = excluded.settlement_currency,
     charges_enabled = excluded.charges_enabled, disabled_reason = excluded.disabled_reason,
     requirements_due = excluded.requirements_due, account_checked_at = excluded.account_checked_at, current = true, stored_at = excluded.stored_at`,
);

/**
 * Stores a pair for new payments of its mode. Another key of the same Stripe account replaces the one before; that of
 * another Stripe account is kept, for what was made with it.
 * @throws DomainError invalid_transition for another Stripe account while something is open at the one before
 */
export async function storeKeys(
  tx: Transaction,
  {
    accountId,
    processor,
    secrets,
    now,
  }: {
    readonly accountId: string;
    readonly processor: string;
    readonly secrets: ProcessorSecrets;
    readonly now: Date;
  },
  { test, secretKey, publishableKey, webhookSecret, owner }: CheckedKeys,
): Promise<void> {
  const current = await executeBound(tx, currentKeysStatement([accountId, processor]));
  const before = current.find((row) => row.test === test);
  if (before !== undefined && before.account !== owner.account) {
    const [open] = await executeBound(tx, openStatement([accountId, processor, test]));
    if (open !== undefined) requireNothingOpen(before.account, open);
  }
  const sealed = secrets.seal(secretKey, accountId, keyPurpose(processor, test, owner.account));
  await executeBound(tx, retireStatement([accountId, processor, test, owner.account]));
  const whose = [accountId, processor, test, owner.account, owner.name];
  const shown = [owner.missingPermissions, owner.settlementCurrency, ...stateValues(owner.state)];
  await executeBound(tx, storeStatement([...whose, sealed, publishableKey, ...shown, test ? null : now, now]));
  const webhook = { accountId, processor, test, atProcessor: owner.account };
  if (typeof webhookSecret === 'string') await storeWebhookSecret(tx, secrets, webhook, webhookSecret, now);
  else {
    if (webhookSecret === null) await forgetWebhookSecret(tx, webhook);
    await expectWebhook(tx, webhook, now);
  }
  await leaveOtherWebhooks(tx, webhook, now);
  await expectDomains(tx, webhook, now);
}

/** A look-up at the new account would find nothing, and what is open would be charged again. */
function requireNothingOpen(account: string, open: { holds: number; payments: number; subscriptions: number }): void {
  const parts = [
    { count: open.holds, one: 'hold', many: 'holds' },
    { count: open.payments, one: 'payment without an outcome', many: 'payments without an outcome' },
    { count: open.subscriptions, one: 'subscription that renews', many: 'subscriptions that renew' },
  ].flatMap(({ count, one, many }) => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]));
  if (parts.length === 0) return;
  const detail = `The key is of another Stripe account than ${account}, and there ${parts.join(', ')} would be lost sight of. Another key of ${account} can be stored at any time.`;
  throw new DomainError('invalid_transition', detail);
}

export interface CurrentKeys {
  readonly live: StripeKeys | null;
  readonly test: StripeKeys | null;
}

/** @param rows of `currentKeysStatement` */
export function currentKeysOf(rows: readonly KeysRow[]): CurrentKeys {
  const of = (test: boolean): StripeKeys | null => {
    const row = rows.find((one) => one.test === test);
    if (row === undefined) return null;
    const { test: _, stored_at, last_event_at, account_checked_at, ...shown } = row;
    return {
      ...shown,
      stored_at: stored_at.toISOString(),
      account_checked_at: account_checked_at?.toISOString() ?? null,
      last_event_at: last_event_at?.toISOString() ?? null,
    };
  };
  return { live: of(false), test: of(true) };
}
