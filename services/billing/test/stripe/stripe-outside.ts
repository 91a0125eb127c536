import type { FakeClock } from '@app/testing/fake-clock';
import type { PaymentProcessor } from '../../src/processors/port.ts';
import { openStripeProcessor, type StripeProcessor } from '../../src/processors/stripe/stripe-processor.ts';
import type { OutsideProcessor } from '../outside-processor.ts';
import { buyersDecide } from './buyers.ts';
import { cancelThere, captureThere, refundThere } from './dashboard.ts';
import type { SetupIntent } from './objects.ts';
import { entriesOf } from './stripe-entries.ts';
import { StripeStandIn } from './stripe-stand-in.ts';

/** Cards of Stripe and of its stand-in that do what those of the simulated processor do, after `pm_`. */
const cards: Readonly<Record<string, string>> = {
  sim_ok: 'card_visa',
  sim_declined: 'card_chargeDeclined',
  sim_requires_action: 'card_authenticationRequiredOnSetup',
  sim_action_ignored: 'standin_leaves',
  sim_action_refused: 'standin_refuses',
  sim_capture_fails: 'standin_capture_refused',
  sim_hold_expires: 'standin_hold_expired',
  sim_renewal_declined: 'card_chargeCustomerFail',
  sim_lost_card: 'card_chargeDeclinedLostCard',
  sim_renewal_requires_action: 'standin_later',
  sim_renewal_action_refused: 'standin_later_refuses',
  sim_renewal_action_ignored: 'standin_later_leaves',
  sim_always_requires_action: 'card_authenticationRequired',
  sim_refund_declined: 'standin_refund_refused',
  // The stand-in's own faults are of requests, not of cards.
  sim_error_after: 'card_visa',
};
const cardOf = (name: string): string => cards[name] ?? name;

/** What a request may take until it counts as lost, in milliseconds of the machine: longer than a busy machine needs. */
const answeredWithinMs = 20_000;
/** The same where some requests get no answer, which a test waits for. */
const lostAfterMs = 400;

/**
 * The stand-in of Stripe, reached over HTTP by the real package.
 * @param losesRequests whether the test makes requests fail, so that it waits for some that are not answered
 */
export async function stripeOutside(clock: FakeClock, losesRequests: boolean): Promise<OutsideProcessor> {
  const deadlineMs = losesRequests ? lostAfterMs : answeredWithinMs;
  const standIn = await StripeStandIn.start(clock);
  const secretKey = 'sk_live_shop';
  standIn.accept(secretKey);
  const opened: StripeProcessor[] = [];
  const releases = new Map<string, Set<string>>();
  /** Holds that their seller ended there: what is requested of them afterwards ends nothing. */
  const endedThere = new Set<string>();
  let tokens = 0;
  const books = () => standIn.booksOf(secretKey);
  return {
    open: (database) => {
      const processor = openStripeProcessor(database, { apiUrl: standIn.url, deadlineMs });
      opened.push(processor);
      return notingReleases(processor, releases, endedThere);
    },
    secretKey,
    books: async (accountId) => {
      // What has come about with time.
      books().pass();
      return entriesOf(books(), accountId, releases);
    },
    records: ({ call, declineReason }) =>
      call !== 'capture' && call !== 'refund' && call !== 'release' && declineReason !== 'invalid_payment_method',
    savedBy: async (_accountId, paymentIds) =>
      books()
        .all<SetupIntent>('setup_intent')
        .filter(
          ({ metadata, status }) => status === 'succeeded' && paymentIds.includes(metadata.funnelry_payment ?? ''),
        )
        .map(({ customer, payment_method }) => `${customer}/${payment_method}`),
    card: (name) => {
      tokens += 1;
      return `ctoken_${cardOf(name)}--${tokens}`;
    },
    newCard: (name) => (cards[name] === undefined ? name : `pm_${cardOf(name)}`),
    savedCard: (name) => (cards[name] === undefined ? name : books().savedCard(`pm_${cardOf(name)}`)),
    buyersDecide: () => buyersDecide(standIn, books()),
    refundThere: (reference, amountCents) => refundThere(books(), reference, amountCents),
    captureThere: (reference, amountCents) => captureThere(books(), reference, amountCents),
    cancelThere: (reference) => {
      const isDone = cancelThere(books(), reference);
      if (!isDone) return false;
      endedThere.add(reference);
      // One that was requested earlier and has not arrived ended nothing either.
      releases.delete(reference);
      return true;
    },
    failRequests: (faults) => standIn.fail(() => true, ...faults),
    deliverLate: async () => {
      standIn.mend();
      await standIn.deliverLate();
    },
    standIn,
    clear: () => {
      standIn.clear();
      releases.clear();
      endedThere.clear();
      for (const processor of opened.splice(0)) processor.close();
    },
    close: async () => {
      for (const processor of opened) processor.close();
      await standIn.close();
    },
  };
}

function notingReleases(
  processor: PaymentProcessor,
  releases: Map<string, Set<string>>,
  endedThere: ReadonlySet<string>,
): PaymentProcessor {
  return {
    ...processor,
    release: (request, call) => {
      const of = releases.get(request.reference) ?? new Set();
      if (!endedThere.has(request.reference)) releases.set(request.reference, of.add(request.paymentId));
      return processor.release(request, call);
    },
  };
}
