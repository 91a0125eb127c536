/**
 * Stripe's stand-in with Stripe's limit: beyond 25 requests in a second to one endpoint of an account it answers 429. In a process
 * of its own. Started by start-stripe.ts.
 */
import { type StripeRequest, StripeStandIn } from '@app/billing/stripe-stand-in';

const perSecond = 25;
const secretKey = 'sk_live_bench';

const standIn = await StripeStandIn.start({ nowMs: () => Date.now() });
standIn.accept(secretKey, 'acct_bench');
const books = standIn.booksOf(secretKey);
/** When the last requests to each endpoint came. */
const arrivals = new Map<string, number[]>();
const counts = { requests: 0, limited: 0, busiestSecond: 0 };

standIn.disturb(({ method, path }: StripeRequest) => {
  const nowMs = performance.now();
  const endpoint = `${method} ${path}`;
  const last = (arrivals.get(endpoint) ?? []).filter((atMs) => nowMs - atMs < 1_000);
  counts.requests += 1;
  if (last.length >= perSecond) {
    counts.limited += 1;
    return 'rate_limited';
  }
  arrivals.set(endpoint, [...last, nowMs]);
  counts.busiestSecond = Math.max(counts.busiestSecond, last.length + 1);
  return undefined;
});

/** A customer with a saved card, as billing keeps it. */
function saveCard(): string {
  const created = Math.floor(Date.now() / 1_000);
  const { id } = books.keep({ id: books.newId('cus'), object: 'customer', created });
  const method = books.methodOf({ payment_method: 'pm_card_visa' });
  method.customer = id;
  return `${id}/${method.id}`;
}

process.on('message', (question: string) => {
  const [what, count] = question.split(' ');
  process.send?.(what === 'save' ? Array.from({ length: Number(count) }, saveCard) : counts);
});
process.on('disconnect', () => process.exit());
process.send?.({ url: standIn.url, secretKey });
