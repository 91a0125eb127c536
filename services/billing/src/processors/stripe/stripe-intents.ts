import type Stripe from 'stripe';
import type { ProcessorCall } from '../port.ts';
import { NotPermittedError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';
import { type ShownCard, shownCardOf } from './stripe-outcomes.ts';

export const readPayment = (link: StripeLink, id: string, call: ProcessorCall): Promise<Stripe.PaymentIntent> =>
  link.read(call, (stripe, options) => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }, options));

export const readSetup = (link: StripeLink, id: string, call: ProcessorCall): Promise<Stripe.SetupIntent> =>
  link.read(call, (stripe, options) => stripe.setupIntents.retrieve(id, {}, options));

/** What is shown of a saved card; nothing where the key may not read it. */
export async function readShownCard(link: StripeLink, methodId: string, call: ProcessorCall): Promise<ShownCard> {
  try {
    const { card } = await link.read(call, (stripe, options) => stripe.paymentMethods.retrieve(methodId, {}, options));
    return shownCardOf(card);
  } catch (err) {
    if (err instanceof NotPermittedError) return {};
    throw err;
  }
}

/** The most that Stripe gives at once. */
const pageSize = 100;

type Page<T> = (
  stripe: Stripe,
  page: { readonly limit: number; readonly starting_after?: string },
  options: Stripe.RequestOptions,
) => Promise<{ readonly data: T[]; readonly has_more: boolean }>;

/** A list of Stripe, newest first, page by page as it is read. @param read for one that may take long, `readPatiently` */
export async function* eachOf<T extends { readonly id: string }>(
  read: StripeLink['read'],
  call: ProcessorCall,
  readPage: Page<T>,
): AsyncGenerator<T> {
  let last: string | undefined;
  do {
    const page = { limit: pageSize, ...(last !== undefined && { starting_after: last }) };
    const { data, has_more } = await read(call, (stripe, options) => readPage(stripe, page, options));
    call.onProgress?.();
    yield* data;
    last = has_more ? data.at(-1)?.id : undefined;
  } while (last !== undefined);
}
