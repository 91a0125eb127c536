import { randomUUID } from 'node:crypto';
import { timePasses } from '@app/testing/time-passes';
import { type Answer, call } from '../support/seller.ts';
import type { Answers } from './answers.ts';
import { drawCard } from './cards.ts';
import type { Random } from './random.ts';
import { again, type Run } from './run.ts';
import type { Shop, World } from './world.ts';

/** A buyer in the portal, at one subscription. */
interface Visit {
  readonly run: Run;
  readonly random: Random;
  readonly shop: Shop;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Buyers of each shop give new cards, one after the other; most of them where a payment is past due, which is charged at once. */
export async function runPortalBuyers(run: Run, world: World, answers: Answers): Promise<void> {
  await Promise.all(
    world.shops.map(async (shop) => {
      const random = run.random.fork();
      await again(run, async () => {
        await giveCard(run, world, { shop, random, answers });
        await run.pause(300 + random.below(1_500));
      });
    }),
  );
}

interface Giving {
  readonly shop: Shop;
  readonly random: Random;
  readonly answers: Answers;
}

interface Listed {
  readonly id: string;
  readonly customer_email: string;
}

async function giveCard(run: Run, { cluster: { baseUrl } }: World, { shop, random, answers }: Giving): Promise<void> {
  const path = `/api/v1/subscriptions?limit=100&status=${random.chance(0.7) ? 'past_due' : 'active'}`;
  const { status, json } = await run.answered('GET /subscriptions', () => shop.seller.call('GET', path));
  // A refusal is counted by its code.
  if (status !== 200 || json.data.length === 0) return;
  const { id, customer_email: email } = random.oneOf(json.data as Listed[]);
  const secret = await openPortal(run, baseUrl, shop, email);
  if (secret === undefined) return;
  const visit: Visit = {
    ...{ run, random, shop },
    send: (method, path, body) => {
      const headers = { 'x-portal-session': secret, 'idempotency-key': randomUUID() };
      return run.answered(`portal: ${method} ${path}`, () =>
        call(baseUrl, method, `/api/portal/subscriptions/${id}/${path}`, { body, headers }),
      );
    },
  };
  const card = await saveCard(visit);
  if (card !== undefined) answers.cards.push({ subscriptionId: id, card });
}

/** By a link that the seller makes. It opens the portal once: where that answer got lost the buyer leaves. */
async function openPortal(run: Run, baseUrl: string, shop: Shop, email: string): Promise<string | undefined> {
  const made = await run.answered('POST /portal-links', () =>
    shop.seller.call('POST', '/api/v1/portal-links', { body: { email } }),
  );
  const token = /\/open\/([\w-]{43})/.exec(made.json?.url ?? '')?.[1];
  if (token === undefined) return undefined;
  const open = () => call(baseUrl, 'POST', '/api/portal/sessions', { body: { token } });
  return (await run.answered('POST /portal/sessions', open)).json?.secret;
}

const followUpsMax = 12;

/** @returns the card that the answer to it says is saved; some leave before they know */
async function saveCard({ run, random, shop, send }: Visit): Promise<string | undefined> {
  const card = drawCard(random, shop);
  const give = (paymentMethod: string) => send('PUT', 'payment-method', { paymentMethod });
  // Two tabs with two cards, now and then.
  const other = random.chance(0.1) ? give(drawCard(random, shop)) : undefined;
  let answer = await give(card);
  const saved = answer.json?.payment_method?.status === 'saved' ? card : undefined;
  await other;
  for (let times = 0; times < followUpsMax; times += 1) {
    const status = answer.json?.payment_method?.status;
    run.count(`buyers' cards: ${status ?? answer.json?.code}`);
    if (status === undefined || status === 'saved' || random.chance(0.1)) break;
    await timePasses(700);
    // About the newest card, which may be another tab's, or the seller's.
    answer = await send('POST', 'payment-method/continue');
  }
  return saved;
}
