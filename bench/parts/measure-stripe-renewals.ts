import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl } from '@app/embedded/databases';
import pg from 'pg';
import type { Infra } from '../infra.ts';
import { type BuyersRun, payAtPace } from '../load/pay-at-pace.ts';
import { type StripeCounts, startStripe } from '../load/start-stripe.ts';
import type { Lengths } from '../options.ts';
import { startBillingReplica } from '../platform/start-billing.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { accountOf, secondsBetween } from './measure-renewals.ts';
import { seedDue } from './seed-due.ts';

export interface StripeRenewalsResult {
  readonly due: number;
  readonly charged: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly stripe: StripeCounts;
  /** So many buyers a second, with nothing else and during the run. */
  readonly buyersPerSecond: number;
  readonly alone: BuyersRun;
  readonly meanwhile: BuyersRun;
}

const buyersPerSecond = 2;

/** Renewals at a stand-in that has Stripe's limit, by two replicas of billing, and buyers who pay meanwhile. */
export async function measureStripeRenewals(
  infra: Infra,
  products: number,
  { due, aloneSeconds }: Lengths['stripeRenewals'],
): Promise<StripeRenewalsResult> {
  await using stack = new AsyncDisposableStack();
  const stripe = await startStripe();
  stack.defer(() => stripe.stop());
  const settings = { STRIPE_API_URL: stripe.url };
  const platform = await startPlatform(infra, products, [], settings);
  stack.defer(() => platform.stop());
  const replica = await startBillingReplica(infra, settings);
  stack.defer(() => replica.stop());
  await platform.client.storeStripeKey(stripe.secretKey);
  const billing = new pg.Client({ connectionString: databaseUrl(infra.postgres.url, 'billing') });
  await billing.connect();
  stack.defer(() => billing.end());
  const accountId = await accountOf(platform, infra.postgres.url);
  await seedDue(billing, accountId, 'stripe', await stripe.saveCards(due));
  // For V8 to compile what buyers need.
  await payAtPace(platform.shop, buyersPerSecond, sleep(5_000));
  const alone = await payAtPace(platform.shop, buyersPerSecond, sleep(aloneSeconds * 1_000));
  const running = platform.client.runDaily();
  const meanwhile = await payAtPace(platform.shop, buyersPerSecond, running);
  const { started_at, result } = await running;
  const seconds = secondsBetween(started_at, await lastRenewal(billing, accountId));
  const { charged } = result.rebills;
  const rates = { due, charged, seconds, perSecond: charged / seconds };
  return { ...rates, stripe: await stripe.count(), buyersPerSecond, alone, meanwhile };
}

async function lastRenewal(billing: pg.Client, accountId: string): Promise<string> {
  const { rows } = await billing.query<{ last: Date }>(
    `select max(finished_at) as last from payments where account_id = $1 and step = 'renewal'`,
    [accountId],
  );
  return rows[0]?.last.toISOString() ?? '';
}
