import { cancelThere, captureThere, isTaken, refundThere } from '@app/billing/stripe-dashboard';
import type { Dispute, PaymentIntent } from '@app/billing/stripe-objects';
import type { Answers } from './answers.ts';
import type { Random } from './random.ts';
import { again, type Run } from './run.ts';
import type { World } from './world.ts';

interface Work {
  readonly run: Run;
  readonly random: Random;
  readonly books: Books;
  readonly answers: Answers;
  readonly intents: readonly PaymentIntent[];
}
type Books = ReturnType<World['stripe']['booksOf']>;

/** What sellers and banks do at Stripe itself, and how often of a hundred times. */
const activities: readonly (readonly [number, (work: Work) => boolean])[] = [
  [25, capture],
  [10, cancel],
  [30, refund],
  [15, dispute],
  [20, endDispute],
];
const drawn = activities.flatMap(([share, activity]) => Array.from({ length: share }, () => activity));

/** Sellers at Stripe's Dashboard: what is done there names nothing of the platform. */
export async function runDashboards(run: Run, { stripe, shops }: World, answers: Answers): Promise<void> {
  await Promise.all(
    shops.map(async ({ stripe: keys }) => {
      const random = run.random.fork();
      if (keys === undefined) return;
      const books = stripe.booksOf(keys.secretKey);
      await again(run, async () => {
        const activity = random.oneOf(drawn);
        // Of the newest, with which buyers and sellers have to do at the same time.
        const intents = books.all<PaymentIntent>('payment_intent').slice(-60);
        if (activity({ run, random, books, answers, intents })) run.count(`at Stripe’s Dashboard: ${activity.name}`);
        await run.pause(400 + random.below(1_200));
      });
    }),
  );
}

function pick({ random, intents }: Work, status: PaymentIntent['status']): PaymentIntent | undefined {
  const fit = intents.filter((intent) => intent.status === status);
  return fit.length === 0 ? undefined : random.oneOf(fit);
}

function capture(work: Work): boolean {
  const { random, books, answers } = work;
  const held = pick(work, 'requires_capture');
  if (held === undefined) return false;
  const part = random.chance(0.5) ? 100 + random.below(held.amount - 100) : undefined;
  if (!captureThere(books, held.id, part)) return false;
  answers.capturedThere.set(held.id, part ?? held.amount);
  return true;
}

function cancel(work: Work): boolean {
  const held = pick(work, 'requires_capture');
  const reason = work.random.oneOf([null, 'duplicate', 'requested_by_customer', 'fraudulent']);
  if (held === undefined || !cancelThere(work.books, held.id, reason)) return false;
  work.answers.canceledThere.add(held.id);
  return true;
}

function refund(work: Work): boolean {
  const { random, books } = work;
  const paid = pick(work, 'succeeded');
  if (paid === undefined) return false;
  return refundThere(books, paid.id, random.chance(0.5) ? 50 + random.below(Math.ceil(paid.amount / 2)) : undefined);
}

const isOpen = ({ status }: Dispute): boolean => !['won', 'lost', 'prevented', 'warning_closed'].includes(status);

/** Of what is left of a charge, or of a part of it. */
function dispute(work: Work): boolean {
  const { random, books } = work;
  const paid = pick(work, 'succeeded');
  const charge = books.objects.get(paid?.latest_charge ?? '') as
    | { readonly amount: number; readonly amount_refunded: number; readonly disputed: boolean }
    | undefined;
  const left = charge === undefined ? 0 : charge.amount - charge.amount_refunded;
  if (paid === undefined || charge?.disputed === true || left < 1) return false;
  const amount = random.chance(0.3) ? 1 + random.below(left) : left;
  const inquiry = random.chance(0.3) ? { status: 'warning_needs_response', is_charge_refundable: true } : {};
  return isTaken(() => books.dispute(paid.id, { amount, ...inquiry }));
}

function endDispute({ random, books }: Work): boolean {
  const open = books.all<Dispute>('dispute').filter(isOpen);
  if (open.length === 0) return false;
  const { id, status } = random.oneOf(open);
  const ends = status.startsWith('warning') ? ['warning_closed', 'needs_response'] : ['won', 'lost', 'under_review'];
  return isTaken(() => books.disputeBecomes(id, random.oneOf(ends)));
}

/** The banks decide what is still disputed. */
export function endDisputes({ stripe, shops }: World, random: Random): void {
  for (const { stripe: keys } of shops) {
    if (keys === undefined) continue;
    const books = stripe.booksOf(keys.secretKey);
    for (const { id, status } of books.all<Dispute>('dispute').filter(isOpen))
      books.disputeBecomes(id, status.startsWith('warning') ? 'warning_closed' : random.oneOf(['won', 'lost']));
  }
}
