import type { StripeBooks } from './books.ts';
import type { Intent } from './objects.ts';
import type { StripeStandIn } from './stripe-stand-in.ts';

/** Buyers who are at the bank decide there, and come back. @param mayDecide those of the others wait still */
export async function buyersDecide(
  standIn: StripeStandIn,
  books: StripeBooks,
  mayDecide: (intent: Intent) => boolean = () => true,
): Promise<void> {
  const waiting = ['payment_intent', 'setup_intent'].flatMap((kind) => books.all<Intent>(kind));
  for (const intent of waiting) {
    if (intent.status !== 'requires_action' || !mayDecide(intent)) continue;
    const { url } = (intent.next_action as { redirect_to_url?: { url: string } } | null)?.redirect_to_url ?? {};
    if (url === undefined) standIn.buyerDecides(intent.client_secret);
    else await fetch(url, { redirect: 'manual' });
  }
}
