import { newId } from '@app/contracts/ids';
import { expect } from 'vitest';
import type {
  CardRequest,
  PaymentProcessor,
  PaymentRequest,
  ProcessorCall,
  ProcessorOutcome,
  ProcessorRecord,
  ReferenceRequest,
  SentOutcome,
} from '../../../src/processors/port.ts';

/** Tokens of the processor's test cards, by what they do. Where a processor has no such card, that test is skipped. */
export interface ConformanceCards {
  readonly works: string;
  readonly declinedSoft: string;
  readonly declinedHard: string;
  /** The first charge succeeds, charges of the saved method are declined. */
  readonly savedDeclined: string;
  /** The bank asks the buyer, who confirms, or who refuses, when the subject lets them decide. */
  readonly confirmed: string;
  readonly refused: string;
  /** The first charge succeeds, also where the bank asks; of later ones the bank asks the buyer, who confirms, or who refuses. */
  readonly laterConfirmed: string;
  readonly laterRefused?: string;
  readonly captureDeclined?: string;
  readonly refundDeclined?: string;
  /** Refunds succeed at first, and fail within a day of the processor's time. */
  readonly refundFails?: string;
  /** The bank disputes what is charged or captured at once. */
  readonly disputed: string;
  /** The request arrives, the answer gets lost. */
  readonly answerLost?: string;
  /** The first sending gets lost on its way. */
  readonly requestLost?: string;
}

/** An adapter under test, with the clock and the buyer of its processor. */
export interface ConformanceSubject {
  readonly processor: PaymentProcessor;
  readonly accountId: string;
  readonly secretKey?: string;
  /** For rehearsals, where the processor has keys of their own. */
  readonly testSecretKey?: string;
  /** `secretKey` is of the processor's test mode, and there is none of its live mode. */
  readonly hasTestModeAlone?: true;
  /** An API key of the same account that the processor does not accept. */
  readonly refusedKey: string;
  now(): Date;
  /** The buyer goes to the bank's page and decides as the card says. */
  buyerDecides(url: string): Promise<void>;
  /** Resolves when the processor has the payment's call, or when the call got lost on its way. */
  callRecorded(paymentId: string): Promise<unknown>;
  /** Moves the processor's time, or lets it pass. */
  passTime(ms: number): void | Promise<void>;
  close(): Promise<void>;
}

export const dayMs = 86_400_000;

export type Succeeded = Extract<ProcessorOutcome, { status: 'succeeded' }>;
export type Suite = ReturnType<typeof suiteOf>;

export function suiteOf(cards: ConformanceCards, subject: () => ConformanceSubject) {
  const paymentId = () => newId('payment', Date.now());
  return {
    cards,
    subject,
    paymentId,
    get processor() {
      return subject().processor;
    },
    call: (over: Partial<ProcessorCall> = {}): ProcessorCall => ({
      accountId: subject().accountId,
      secretKey: over.test === true ? (subject().testSecretKey ?? subject().secretKey) : subject().secretKey,
      test: subject().hasTestModeAlone ?? false,
      signal: AbortSignal.timeout(60_000),
      ...over,
    }),
    request: (over: Partial<CardRequest> = {}): CardRequest => ({
      paymentId: paymentId(),
      amountCents: 4_900,
      currency: 'usd',
      paymentMethod: cards.works,
      customerEmail: 'ada@example.com',
      orderId: newId('order', Date.now()),
      returnUrl: 'https://shop.example/c/shop/course',
      ...over,
    }),
  };
}

/** A request about an earlier outcome, with a key of its own. */
export const about = (suite: Suite, { reference }: Succeeded, amountCents: number, currency = 'usd') => ({
  paymentId: suite.paymentId(),
  reference,
  amountCents,
  currency,
});

export async function charged(suite: Suite, over: Partial<CardRequest> = {}): Promise<Succeeded> {
  return succeeded(await suite.processor.charge(suite.request(over), suite.call()));
}

/** What saves a card, which moves no money. */
export const saving = (suite: Suite, over: Partial<CardRequest> = {}): CardRequest =>
  suite.request({ amountCents: 0, ...over });

export async function held(suite: Suite, over: Partial<CardRequest> = {}): Promise<Succeeded> {
  return succeeded(await suite.processor.authorize(suite.request(over), suite.call()));
}

export function succeeded(outcome: SentOutcome | null): Succeeded {
  expect(outcome).toMatchObject({ status: 'succeeded' });
  return outcome as Succeeded;
}

/** Sends it twenty times at once, each with a key of its own: one succeeds. */
export async function oneOfTwenty(send: () => Promise<SentOutcome>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
  expect(answers.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
}

/** Where the buyer is to confirm. */
export function waiting(outcome: SentOutcome): { readonly reference: string; readonly url: string } {
  if (outcome.status !== 'requires_action') throw new Error(`expected requires_action, not ${outcome.status}`);
  const { reference, url } = outcome;
  if (url === null || !URL.canParse(url)) throw new Error('expected an address of the bank');
  return { reference, url };
}

export const declinedOutcome = (kind: 'soft' | 'hard', reason: unknown = expect.stringMatching(/^[a-z][a-z0-9_]*$/)) =>
  expect.objectContaining({ status: 'declined', kind, reason, message: expect.stringMatching(/\S/) });

/** How the processor says that a payment stands which was sent by this call. */
export const lookedUp = <Request extends CardRequest | ReferenceRequest>(
  suite: Suite,
  call: Request extends CardRequest ? 'authorize' | 'charge' | 'saveMethod' : 'capture' | 'refund' | 'release',
  request: Request,
  how = suite.call(),
): Promise<ProcessorOutcome | null> => suite.processor.lookUp({ call, request } as unknown as PaymentRequest, how);

export async function recordsOf(suite: Suite, since: Date, call = suite.call()): Promise<ProcessorRecord[]> {
  const until = new Date(suite.subject().now().getTime() + dayMs);
  const records: ProcessorRecord[] = [];
  for await (const record of suite.processor.list(since, until, call)) records.push(record);
  return records;
}
