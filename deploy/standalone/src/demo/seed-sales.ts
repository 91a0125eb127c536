import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CheckoutOutcome,
  continueCheckout,
  decideUpsell,
  openCheckout,
  payCheckout,
} from '@app/contracts/checkouts';
import { refundOrder } from '@app/contracts/orders';
import { type DemoSale, demoEmail, demoSales, demoSeller, demoVisits } from './demo-shop.ts';
import { commandSender, type SeedContext, type SendCommand } from './seed.ts';

/** The settings that sign-up gives a seller. */
const account = {
  testMode: false,
  supportEmail: demoSeller.email,
  businessName: demoSeller.name,
  holdDecisionMinutes: 60,
  settingsRevision: 1,
};
/** The gateway has looked it up before checkout gets a request. */
const handle = 'demo';

export interface SalesOfCheckout {
  /** Refunded ones included. */
  readonly paid: number;
  readonly refunded: number;
  readonly held: number;
}

/**
 * Buyers and other visitors come to the shop's checkouts, all at the same time and now: a card that is held is one that can
 * still be decided on. The seller refunds some of the orders.
 */
export async function seedSales(context: SeedContext): Promise<SalesOfCheckout> {
  const [ends] = await Promise.all([
    Promise.all(demoSales.map((sale, index) => sell(context, sale, index))),
    Promise.all(Object.entries(demoVisits).map(([slug, count]) => visit(context, slug, count))),
  ]);
  const count = (end: End): number => ends.filter((each) => each === end).length;
  return { paid: count('paid') + count('refunded'), refunded: count('refunded'), held: count('authorized') };
}

type End = CheckoutOutcome['status'];

const requestAgainMs = 250;
/** Billing looks a payment up when its answer is overdue, ten seconds after it was sent; what goes on by itself takes a minute or two. */
const knownWithinMs = 300_000;

async function sell(context: SeedContext, sale: DemoSale, index: number): Promise<End> {
  // Each buyer has a sender of its own, so that command ids do not depend on who is faster.
  const commands = commandSender(context, `sales/${index}`);
  const atMs = context.startedAt + index;
  const again = commandSender(context, `sales/${index}/again`);
  const { status, orderId } = await pay({ commands, again }, sale, atMs);
  if (status !== 'paid' || orderId === undefined || !sale.refunded) return status;
  return (await commands(refundOrder, { orderId }, atMs)).status === 'refunded' ? 'refunded' : 'paid';
}

interface Buyer {
  readonly commands: SendCommand;
  /** For repeats: how many there are does not change the ids of the other commands. */
  readonly again: SendCommand;
}

/** Opens a checkout, pays, and decides on the upsell. */
async function pay({ commands, again }: Buyer, sale: DemoSale, atMs: number): Promise<CheckoutOutcome> {
  const { slug, buyer, country, card, upsell } = sale;
  const email = demoEmail(buyer);
  const body = { handle, slug, email, name: buyer, country };
  const { id: checkoutId, secret } = await commands(openCheckout, { body, account, visitor: email }, atMs);
  const paid = await commands(payCheckout, { checkoutId, secret, body: { paymentMethod: card } }, atMs);
  const outcome = await untilKnown(paid, () => again(continueCheckout, { checkoutId, secret }, atMs));
  if (outcome.status !== 'authorized' || upsell === undefined) return outcome;
  const decision = { checkoutId, secret, body: { accept: upsell === 'accept' } };
  return await untilKnown(await commands(decideUpsell, decision, atMs), () => again(decideUpsell, decision, atMs));
}

interface Answer {
  readonly outcome: CheckoutOutcome;
}

/** A payment that a killed start had sent is known when billing has looked it up. */
async function untilKnown({ outcome }: Answer, request: () => Promise<Answer>): Promise<CheckoutOutcome> {
  let known = outcome;
  const untilMs = performance.now() + knownWithinMs;
  while (known.status === 'processing') {
    if (performance.now() > untilMs)
      throw new Error(
        `A payment of the demo shop (order ${known.orderId}) has no outcome after five minutes. Start again.`,
      );
    await sleep(requestAgainMs);
    known = (await request()).outcome;
  }
  return known;
}

async function visit(context: SeedContext, slug: string, count: number): Promise<void> {
  const commands = commandSender(context, `visits/${slug}`);
  const visitors = Array.from({ length: count }, (_, index) => `visitor ${index}`);
  await Promise.all(
    visitors.map((visitor) => commands(openCheckout, { body: { handle, slug }, account, visitor }, context.startedAt)),
  );
}
