import type { BuyersRun } from '../load/pay-at-pace.ts';
import type { StripeRenewalsResult } from '../parts/measure-stripe-renewals.ts';
import { round } from './results.ts';
import { printTable } from './table.ts';

export function printStripeRenewals(result: StripeRenewalsResult | undefined): void {
  if (result === undefined) return;
  const { due, charged, perSecond, seconds, stripe, buyersPerSecond, alone, meanwhile } = result;
  const row = (name: string, run: BuyersRun) => [
    name,
    String(run.paid),
    String(run.failed),
    ...[run.p50Ms, run.p95Ms, run.longestMs].map(round),
    JSON.stringify(run.answers),
  ];
  printTable(`Buyers at Stripe, ${buyersPerSecond} a second (milliseconds of the payment)`, [
    ['', 'paid', 'failed', 'p50', 'p95', 'longest', 'answers of the failed'],
    row('with nothing else', alone),
    row('during the run', meanwhile),
  ]);
  console.log(`  ${charged} of ${due} renewals in ${round(seconds)} s, ${round(perSecond)} per s, by two replicas`);
  console.log(
    `  ${stripe.requests} requests, at most ${stripe.busiestSecond} within a second to one endpoint, ${stripe.limited} answers 429`,
  );
}
