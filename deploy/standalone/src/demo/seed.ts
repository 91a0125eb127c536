import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createAffiliate } from '@app/contracts/affiliates';
import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { createDiscount } from '@app/contracts/discounts';
import { dayMs } from '@app/contracts/durations';
import { createFunnelEmail, createOffer } from '@app/contracts/funnels';
import { idSuffixOf } from '@app/contracts/ids';
import { createOrder } from '@app/contracts/orders';
import { createProduct, putProductImage } from '@app/contracts/products';
import type { Requester } from '@app/messaging/requester';
import { demoOrders } from './demo-orders.rules.ts';
import {
  type DemoOffer,
  type DemoProduct,
  demoHistoryDays,
  demoPartner,
  demoProducts,
  demoSeller,
} from './demo-shop.ts';

export interface SeedContext {
  readonly requester: Requester;
  readonly accountId: string;
  /** First start of this deployment, milliseconds since the epoch. */
  readonly startedAt: number;
}

/*
 * The demo shop is made by the same commands that sellers' requests become. Every command id follows from `startedAt`:
 * a seeding that was killed half-way is simply run again, and what was done is not done twice.
 */

/** Products with their funnels, and the affiliate. Returns the ids of each product's bumps, by slug. */
export async function seedCatalog(context: SeedContext): Promise<Map<string, string[]>> {
  const openedMs = openedAt(context.startedAt);
  const partner = { body: { ...demoPartner, renewalMonths: 0 } };
  const affiliate = commandSender(context, 'affiliate')(createAffiliate, partner, openedMs);
  const added = demoProducts.map(async (product, index): Promise<[string, string[]]> => {
    // Each product has a sender of its own, so that command ids do not depend on which is faster.
    const commands = commandSender(context, `catalog/${product.slug}`);
    return [product.slug, await addProduct(commands, product, openedMs + index * 60_000)];
  });
  const [bumpIds] = await Promise.all([Promise.all(added), affiliate]);
  return new Map(bumpIds);
}

/** Orders that are sent at once: checkout batches them, and the log of events has those before them already. */
const together = 25;

/** Weeks of orders in the order of their times, which the log of events keeps; returns how many. */
export async function seedOrders(context: SeedContext, bumpIds: ReadonlyMap<string, string[]>): Promise<number> {
  const commands = commandSender(context, 'orders');
  const account = { testMode: false, supportEmail: demoSeller.email };
  const orders = demoOrders(demoProducts, bumpIds, context.startedAt);
  for (let from = 0; from < orders.length; from += together) {
    const sent = orders.slice(from, from + together);
    await Promise.all(sent.map(({ atMs, body }) => commands(createOrder, { body, account }, atMs)));
  }
  return orders.length;
}

/** The shop opened at the beginning of its history. */
export const openedAt = (startedAt: number): number => startedAt - demoHistoryDays * dayMs;

export type SendCommand = <R extends RequestDefinition>(
  definition: R,
  input: RequestInput<R>,
  atMs: number,
) => Promise<RequestOutput<R>>;

export function commandSender({ requester, accountId, startedAt }: SeedContext, part: string): SendCommand {
  let sent = 0;
  return async (definition, input, atMs) => {
    const commandId = commandIdAt(atMs, `${startedAt}/${part}/${sent++}`);
    return await requester.request(definition, input, { accountId, requestId: 'demo-seed', commandId });
  };
}

/** A command id made of a time and a name. The things of the demo shop have their ids from it: UUIDv7 like all others. */
export function commandIdAt(atMs: number, name: string): string {
  return idSuffixOf(atMs, hash('sha256', name, 'buffer'));
}

/** Returns the ids of its bumps, in the shop's order. */
async function addProduct(commands: SendCommand, product: DemoProduct, atMs: number): Promise<string[]> {
  const { billingInterval } = product;
  const created = await commands(
    createProduct,
    {
      defaultCurrency: 'usd',
      body: {
        name: product.name,
        slug: product.slug,
        description: product.description,
        priceCents: product.priceCents,
        currency: 'usd',
        status: product.status,
        accessUrl: `https://studio.example/access/${product.slug}`,
        pricingType: billingInterval === undefined ? 'onetime' : 'subscription',
        ...(billingInterval === undefined ? {} : { billingInterval }),
      },
    },
    atMs,
  );
  const productId = created.id;
  const linkOf = (headline: string) =>
    `https://studio.example/access/${product.slug}#${headline.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  const offer = (kind: 'bump' | 'upsell', { headline, description, priceCents }: DemoOffer) =>
    commands(
      createOffer,
      { productId, kind, body: { headline, description, priceCents, active: 1, accessUrl: linkOf(headline) } },
      atMs,
    );
  const [bumps] = await Promise.all([
    Promise.all(product.bumps.map((bump) => offer('bump', bump))),
    ...product.upsells.map((upsell) => offer('upsell', upsell)),
    ...product.emails.map((email, index) =>
      commands(createFunnelEmail, { productId, body: { position: index + 1, ...email } }, atMs),
    ),
    ...product.discounts.map((body) => commands(createDiscount, { productId, body }, atMs)),
  ]);
  await commands(putProductImage, { productId, body: { data: pictureOf(product.slug) } }, atMs);
  return bumps.map(({ id }) => id);
}

/** The picture of each product, drawn for the demo shop, as base64. */
const pictureOf = (slug: string): string => readFileSync(new URL(`pictures/${slug}.webp`, import.meta.url), 'base64');
