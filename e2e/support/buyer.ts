import { timePasses } from '@app/testing/time-passes';
import { type Answer, call } from './seller.ts';

/** What a buyer wants to buy, and how. */
export interface Wish {
  readonly handle: string;
  readonly slug: string;
  readonly email: string;
  readonly bumpIds?: readonly string[];
  readonly discountCode?: string;
  readonly affiliateCode?: string;
}

/** A checkout in a buyer's browser: its id and its secret. */
export interface BuyersCheckout {
  readonly id: string;
  readonly secret: string;
  /** Sends the secret along. */
  call(method: string, path?: string, body?: unknown): Promise<Answer>;
}

export async function openCheckout(baseUrl: string, wish: Wish): Promise<BuyersCheckout> {
  const opened = await call(baseUrl, 'POST', '/api/checkout', { body: wish });
  if (opened.status !== 200) throw new Error(`opening answered ${opened.status}: ${opened.text}`);
  return checkoutOf(baseUrl, opened.json);
}

/** One that is open already. */
export function checkoutOf(baseUrl: string, { id, secret }: Pick<BuyersCheckout, 'id' | 'secret'>): BuyersCheckout {
  return {
    ...{ id, secret },
    call: (method, path = '', body) =>
      call(baseUrl, method, `/api/checkout/${id}${path}`, {
        headers: { 'x-checkout-secret': secret },
        ...(body === undefined ? {} : { body }),
      }),
  };
}

export interface Buyer {
  readonly wish: Wish;
  /** The processor's token. */
  readonly card: string;
  /** The answer to an upsell; without it the buyer leaves without a word. */
  readonly accept?: boolean | undefined;
}

/** How a patient buyer's purchase ended. */
export interface Purchase {
  readonly wish: Wish;
  readonly status: 'paid' | 'declined' | 'authorized';
  readonly orderId: string | undefined;
  readonly totalCents: number;
  readonly upsell: string | undefined;
  /** Answers that were lost or refused for the moment, and requested again. */
  readonly repeats: number;
}

/** Between two checks of a patient buyer. */
const pauseMs = 100;
/** Between two checks of a payment under way. */
const checkEveryMs = 500;

/**
 * Buys as a person with a patient browser does: whatever gets no answer is requested again, a payment under way is
 * checked, and the upsell is decided on. The outcome is what the buyer saw last.
 */
export async function buyPatiently(baseUrl: string, { wish, card, accept }: Buyer): Promise<Purchase> {
  let repeats = 0;
  const request = async (what: string, send: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await send().catch(() => undefined);
      if (answer?.status === 200) return answer;
      if (answer !== undefined && answer.status < 500)
        throw new Error(`${wish.email}: ${what} answered ${answer.status}: ${answer.text}`);
      repeats += 1;
      await timePasses(pauseMs);
    }
  };
  const opened = await request('open', () => call(baseUrl, 'POST', '/api/checkout', { body: wish }));
  const checkout = checkoutOf(baseUrl, opened.json);
  const outcomeOf = async (what: 'pay' | 'upsell', body: unknown) => {
    const outcome = async (path: string, sent: unknown) =>
      (await request(what, () => checkout.call('POST', path, sent))).json;
    for (;;) {
      const requested = await outcome(`/${what}`, body);
      if (requested.status !== 'processing') return requested;
      await timePasses(checkEveryMs);
      // Going on queries the processor about a payment; a repeat brings to billing what a kill kept from it.
      const continued = what === 'pay' ? await outcome('/continue', {}) : requested;
      if (continued.status !== 'processing') return continued;
    }
  };
  let outcome = await outcomeOf('pay', { paymentMethod: card });
  if (outcome.status === 'authorized' && accept !== undefined) {
    outcome = await outcomeOf('upsell', { accept });
  }
  const { status, orderId, totalCents, upsell } = outcome;
  return { wish, status, orderId, totalCents, upsell: upsell?.status, repeats };
}
