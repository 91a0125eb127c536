import { continueCheckout, decideUpsell, openCheckout, payCheckout } from '@app/contracts/checkouts';
import { refundOrder } from '@app/contracts/orders';
import type { Requester } from '@app/messaging/requester';
import { expect, test } from 'vitest';
import { demoSales } from './demo-shop.ts';
import { seedSales } from './seed-sales.ts';

interface Sent {
  readonly checkoutId?: string;
  readonly body?: { readonly paymentMethod?: string };
}

/** Checkout as a killed start left it: a payment and a decision are known when they are requested for the third time. */
function checkoutAfterKill() {
  const requests: string[] = [];
  const cards = new Map<string, string>();
  const statusOf = (name: string, checkoutId: string): string => {
    const times = requests.filter((each) => each === `${name} ${checkoutId}`).length;
    if (name === payCheckout.name || times < 3) return 'processing';
    if (name === decideUpsell.name) return 'paid';
    return cards.get(checkoutId) === 'sim_declined' ? 'declined' : 'authorized';
  };
  const request = async ({ name }: { readonly name: string }, { checkoutId = '', body }: Sent, { commandId = '' }) => {
    requests.push(`${name} ${checkoutId}`);
    if (name === openCheckout.name) return { id: commandId, secret: 's' };
    if (name === refundOrder.name) return { status: 'refunded' };
    if (body?.paymentMethod !== undefined) cards.set(checkoutId, body.paymentMethod);
    return { outcome: { status: statusOf(name, checkoutId), orderId: checkoutId } };
  };
  return { requests, requester: { request } as unknown as Requester };
}

test('sales that a kill left in progress are waited for: they are counted, decided on and refunded', async () => {
  const { requests, requester } = checkoutAfterKill();
  const counted = await seedSales({ requester, accountId: 'acct', startedAt: Date.UTC(2026, 10, 21) });
  const decidedOn = demoSales.filter(({ upsell }) => upsell !== undefined);
  const declined = demoSales.filter(({ card }) => card === 'sim_declined');
  expect(counted).toEqual({
    paid: decidedOn.length,
    refunded: decidedOn.filter(({ refunded }) => refunded).length,
    held: demoSales.length - decidedOn.length - declined.length,
  });
  const sent = (name: string) => requests.filter((each) => each.startsWith(`${name} `)).length;
  // A payment is sent once: what repeats is the question how it ended.
  expect([sent(payCheckout.name), sent(continueCheckout.name)]).toEqual([demoSales.length, demoSales.length * 3]);
});
