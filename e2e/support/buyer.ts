import { eventually } from '@app/testing/eventually';
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
  return checkoutOf(baseUrl, opened);
}

function checkoutOf(baseUrl: string, { json }: Answer): BuyersCheckout {
  const { id, secret } = json as { id: string; secret: string };
  return {
    ...{ id, secret },
    call: (method, path = '', body) =>
      call(baseUrl, method, `/api/checkout/${id}${path}`, {
        headers: { 'x-checkout-secret': secret },
        ...(body === undefined ? {} : { body }),
      }),
  };
}

/** How a patient buyer's purchase ended. */
export interface Purchase {
  readonly wish: Wish;
  readonly status: 'paid' | 'declined' | 'authorized';
  readonly orderId: string | undefined;
  readonly totalCents: number;
  readonly upsell: string | undefined;
  /** Answers that were lost or refused for the moment, and asked for again. */
  readonly repeats: number;
}

/** A killed process is back within seconds; a payment without an answer is looked up when the buyer comes back. */
const patienceMs = 90_000;

/**
 * Buys as a person with a patient browser does: whatever gets no answer is asked for again, a payment under way is
 * asked about, and the upsell is decided on. The outcome is what the buyer was told last.
 * @param card the processor's token
 * @param accept what to say to an upsell; undefined to leave without a word
 */
export async function buyPatiently(
  baseUrl: string,
  wish: Wish,
  card: string,
  accept: boolean | undefined,
): Promise<Purchase> {
  let repeats = 0;
  const ask = async (what: string, send: () => Promise<Answer>): Promise<Answer> =>
    await eventually(
      async () => {
        const answer = await send().catch(() => undefined);
        if (answer !== undefined && answer.status < 500) return answer;
        repeats += 1;
        return false;
      },
      { withinMs: patienceMs, everyMs: 100, message: `${wish.email}: ${what}` },
    );
  const opened = await ask('open', () => call(baseUrl, 'POST', '/api/checkout', { body: wish }));
  if (opened.status !== 200) throw new Error(`opening answered ${opened.status}: ${opened.text}`);
  const checkout = checkoutOf(baseUrl, opened);
  const outcomeOf = async (what: 'pay' | 'upsell', body: unknown) => {
    const answerOf = async (path: string, sent: unknown): Promise<Answer> => {
      const answer = await ask(what, () => checkout.call('POST', path, sent));
      if (answer.status !== 200) throw new Error(`${wish.email}: ${what} answered ${answer.status}: ${answer.text}`);
      return answer;
    };
    const decided = ({ json }: Answer) => json.status !== 'processing' && json;
    const first = decided(await answerOf(`/${what}`, body));
    if (first) return first;
    // Going on asks the processor about a payment; asking again brings to billing what a kill kept from it.
    return await eventually(
      async () =>
        (what === 'pay' && decided(await answerOf('/continue', {}))) || decided(await answerOf(`/${what}`, body)),
      { withinMs: patienceMs, everyMs: 500, message: `${wish.email}: no longer processing` },
    );
  };
  let outcome = await outcomeOf('pay', { paymentMethod: card });
  if (outcome.status === 'authorized' && accept !== undefined) {
    outcome = await outcomeOf('upsell', { accept });
  }
  const { status, orderId, totalCents, upsell } = outcome;
  return { wish, status, orderId, totalCents, upsell: upsell?.status, repeats };
}
