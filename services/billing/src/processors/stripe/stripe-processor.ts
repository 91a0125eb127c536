import type { Database } from '@app/service-kit/database';
import {
  NothingDoneError,
  type PaymentProcessor,
  type ProcessorCall,
  type ProcessorOutcome,
  type ProcessorRecord,
  type SentOutcome,
} from '../port.ts';
import { mergedLists, whereItIs } from './stripe-accounts.ts';
import { capture, refund } from './stripe-captures-and-refunds.ts';
import { createOrderCustomers } from './stripe-customers.ts';
import type { StripeDeps } from './stripe-deps.ts';
import { readDispute } from './stripe-disputes.ts';
import { createStripeDomains, type StripeDomains } from './stripe-domains.ts';
import { createStripeEndpoints, type StripeEndpoints } from './stripe-endpoints.ts';
import { DefiniteNoError } from './stripe-errors.ts';
import { accountState, type KeyOwner, keyOwner } from './stripe-key-owner.ts';
import { createStripeLink, type StripeLinkOptions } from './stripe-link.ts';
import { listRecords, readRefund } from './stripe-list.ts';
import { lookUp } from './stripe-look-up.ts';
import { readOwnPayment } from './stripe-own-payment.ts';
import { clientSecret, release } from './stripe-release.ts';
import { sendCard, sendMethod, sendSaved } from './stripe-sendings.ts';

export interface StripeProcessor extends PaymentProcessor {
  /** Whose the call's key is, and whether the publishable key fits it. @throws NothingDoneError, StripeAnswerError */
  keyOwner(call: ProcessorCall, publishableKey: string): Promise<KeyOwner>;
  /** How the Stripe account of the call's key stands; undefined where the key may not read it. @throws NothingDoneError, StripeAnswerError */
  accountState(call: ProcessorCall): ReturnType<typeof accountState>;
  /** The payment of an intent; undefined for other money. @throws NothingDoneError, StripeAnswerError */
  readOwnPayment(intentId: string, call: ProcessorCall): ReturnType<typeof readOwnPayment>;
  /** A refund, of what is the account's. @throws NothingDoneError, StripeAnswerError */
  readRefund(id: string, call: ProcessorCall): Promise<ProcessorRecord | undefined>;
  readonly endpoints: StripeEndpoints;
  readonly domains: StripeDomains;
  close(): void;
}

/** As many renewals are queued, or wait for their answers, as go out within it. */
const paceSeconds = 2;
/** With answers that take 300 ms, 213 a second: more than Stripe takes of an account. */
const renewalsAtOnceMax = 64;

/** Payments through the account's own Stripe account (decision 0042). It remembers orders' customers in the database. */
export function openStripeProcessor(database: Database, options: StripeLinkOptions): StripeProcessor {
  const deps: StripeDeps = { link: createStripeLink(options), customers: createOrderCustomers(database) };
  return {
    name: 'stripe',
    findsMadeRefunds: true,
    ...(options.pace && { renewalsAtOnce: Math.min(renewalsAtOnceMax, options.pace.perSecond * paceSeconds) }),
    authorize: sending((request, call) => sendCard(deps, 'authorize', request, call)),
    charge: sending((request, call) => sendCard(deps, 'charge', request, call)),
    saveMethod: sending((request, call) => sendMethod(deps, request, call)),
    chargeSaved: sending((request, call) => sendSaved(deps, request, call)),
    capture: sending((request, call) => whereItIs(call, (one) => capture(deps, request, one))),
    refund: sending((request, call) => whereItIs(call, (one) => refund(deps, request, one))),
    release: sending((request, call) => whereItIs(call, (one) => release(deps, request, one))),
    lookUp: (sent, call) => whereItIs(call, (one) => lookUp(deps, sent, one), isKnown),
    clientSecret: (reference, call) => whereItIs(call, (one) => clientSecret(deps, reference, one)),
    list: (from, to, call) => mergedLists(call, (one) => listRecords(deps.link, { from, to }, one)),
    readDispute: (id, call) =>
      whereItIs(
        call,
        (one) => readDispute(deps.link, id, one),
        (dispute) => dispute !== null,
      ),
    accountState: (call) => accountState(deps.link, call),
    keyOwner: (call, publishableKey) => keyOwner(deps.link, call, publishableKey),
    readOwnPayment: (id, call) => whereItIs(call, (one) => readOwnPayment(deps.link, id, one)),
    readRefund: (id, call) => whereItIs(call, (one) => readRefund(deps.link, id, one)),
    endpoints: createStripeEndpoints(deps.link),
    domains: createStripeDomains(deps.link),
    close: () => deps.link.close(),
  };
}

const isKnown = (outcome: ProcessorOutcome | null): boolean => outcome !== null;

/** What a sending answers where it certainly did nothing, or is a definite no. */
const sending =
  <Request>(work: (request: Request, call: ProcessorCall) => Promise<ProcessorOutcome>) =>
  async (request: Request, call: ProcessorCall): Promise<SentOutcome> => {
    try {
      return await work(request, call);
    } catch (err) {
      if (err instanceof DefiniteNoError) return err.outcome;
      if (!(err instanceof NothingDoneError)) throw err;
      return { status: 'not_done', why: err.why, message: err.message };
    }
  };
