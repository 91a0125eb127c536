import { resolveCredits } from '@app/contracts/affiliates';
import { getOffer } from '@app/contracts/checkout-offers';
import {
  continueCheckout,
  decideUpsell,
  getCheckout,
  openCheckout,
  payCheckout,
  restoreCheckout,
  updateCheckout,
} from '@app/contracts/checkouts';
import { getCustomer, listCustomers, readBuyerTotals } from '@app/contracts/customers';
import { advanceRehearsal, startDailyRun } from '@app/contracts/daily-runs';
import type { RequestDefinition } from '@app/contracts/define';
import { createOffer, updateOffer } from '@app/contracts/funnels';
import { releaseHold } from '@app/contracts/hold-releases';
import { followPayments, ordersToCompare } from '@app/contracts/order-comparisons';
import { createOrder, refundOrder, releaseOrder } from '@app/contracts/orders';
import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { continuePayment, refundCharges, settleHold, startPayment } from '@app/contracts/payments';
import { createProduct, updateProduct } from '@app/contracts/products';
import { findProductsForSale } from '@app/contracts/products-for-sale';
import { runReminders } from '@app/contracts/reminders';
import { continuePaymentMethod, putPaymentMethod } from '@app/contracts/subscriptions';
import { selfTestWebhook } from '@app/contracts/webhook-tests';
import { operations } from '@app/gateway/operations';
import { describe, expect, test } from 'vitest';
import { allRequests } from './support/contracts.ts';
import { isTest, read, typeScriptFiles } from './support/repository.ts';

/**
 * Requests whose handlers make others while their own caller waits, and those. Kept by hand: handlers reach a request through batchers and
 * functions that they are given, which imports do not show, and by the imports of a service each of its handlers makes every request of it.
 */
const chains: readonly (readonly [RequestDefinition, ...RequestDefinition[]])[] = [
  [createProduct, getPaymentProcessor],
  [updateProduct, getPaymentProcessor],
  [createOffer, getPaymentProcessor],
  [updateOffer, getPaymentProcessor],
  [createOrder, findProductsForSale, resolveCredits],
  [getOffer, findProductsForSale, getPaymentProcessor],
  [getCheckout, findProductsForSale, getPaymentProcessor],
  [openCheckout, findProductsForSale, getPaymentProcessor],
  [restoreCheckout, findProductsForSale, getPaymentProcessor],
  [updateCheckout, findProductsForSale, getPaymentProcessor],
  [payCheckout, findProductsForSale, resolveCredits, startPayment],
  [continueCheckout, continuePayment, startPayment],
  [decideUpsell, settleHold],
  [releaseOrder, releaseHold],
  [refundOrder, refundCharges],
  [startDailyRun, ordersToCompare, followPayments],
  [listCustomers, readBuyerTotals],
  [getCustomer, readBuyerTotals],
];

/** Made by loops, for which nobody waits. */
const ofLoops: ReadonlySet<string> = new Set(['listPayments', 'createPortalLink']);

const named = ({ subject }: RequestDefinition): string => subject;
const requests = await allRequests();

describe('time-outs', () => {
  test('every request has one, and is repeated within it', () => {
    expect(requests.length).toBeGreaterThan(100);
    const unfit = requests.filter(({ timeoutMs, repeatAfterMs }) => !(repeatAfterMs > 0 && repeatAfterMs < timeoutMs));
    expect(unfit.map(named)).toEqual([]);
  });

  test('no request is waited for shorter than one that is made while it is handled', () => {
    const shorter = chains.flatMap(([outer, ...inner]) =>
      inner.filter(({ timeoutMs }) => timeoutMs > outer.timeoutMs).map((one) => `${named(outer)} < ${named(one)}`),
    );
    expect(shorter).toEqual([]);
  });

  test('what services request of each other is in the list above', async () => {
    const behind = typeScriptFiles().filter(
      (file) => /^services\/(?!gateway\/)[^/]+\/src\//.test(file) && !isTest(file),
    );
    const pattern = /\brequester\s*\.request(?:Bytes)?\(\s*(\w+)/g;
    const made = behind.flatMap((file) => [...read(file).matchAll(pattern)].map(([, name = '']) => name));
    const modules = await Promise.all(
      behind.flatMap((file) =>
        [...read(file).matchAll(/from '(@app\/contracts\/[a-z-]+)'/g)].map(
          ([, module = '']) => import(module) as Promise<Record<string, unknown>>,
        ),
      ),
    );
    const definitions: Record<string, unknown> = Object.assign({}, ...modules);
    const inner = new Set<unknown>(chains.flatMap(([, ...each]) => each));
    expect(made.length).toBeGreaterThan(ofLoops.size);
    expect(made.filter((name) => !ofLoops.has(name) && !inner.has(definitions[name]))).toEqual([]);
    expect([...ofLoops].filter((name) => !made.includes(name))).toEqual([]);
  });

  // The lease of an Idempotency-Key is 30 s, and longer for operations that say `longestMs`.
  test('no request takes as long as the lease of an Idempotency-Key but those whose operations say how long they take', () => {
    const long = requests.filter(({ timeoutMs }) => timeoutMs > 20_000).map(named);
    const said: readonly [RequestDefinition, ...string[]][] = [
      [startDailyRun, 'runDailyJob'],
      [runReminders, 'runDailyJob'],
      [advanceRehearsal, 'advanceRehearsal'],
      [selfTestWebhook, 'selfTestWebhook'],
      [payCheckout, 'payCheckout'],
      [continueCheckout, 'continueCheckout'],
      [putPaymentMethod, 'putPaymentMethod', 'putPortalPaymentMethod'],
      [continuePaymentMethod, 'continuePortalPaymentMethod'],
      // Made by two of them and by a loop alone.
      [startPayment, 'payCheckout'],
      [continuePayment, 'continueCheckout'],
    ];
    expect(long.toSorted()).toEqual(said.map(([request]) => named(request)).toSorted());
    const shorter = said.flatMap(([{ timeoutMs }, ...ids]) =>
      ids.filter((id) => (operations.find((operation) => operation.id === id)?.longestMs ?? 0) < timeoutMs),
    );
    expect(shorter).toEqual([]);
  });
});
