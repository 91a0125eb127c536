import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dayMs } from '@app/contracts/durations';
import { newIdSuffix } from '@app/contracts/ids';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import type { Clock } from '@app/service-kit/clock';
import { type Database, openDatabase, type StatementQuery } from '@app/service-kit/database';
import { columnsOf } from '@app/service-kit/row-arrays';
import { together } from '@app/service-kit/together';
import { simulatedCallRecorded } from '../../points/points.ts';
import {
  type CardRequest,
  NothingDoneError,
  OtherPaymentError,
  type PaymentProcessor,
  type PaymentRequest,
  type ProcessorCall,
  type ProcessorOutcome,
  type ReferenceRequest,
  type SavedMethodRequest,
  type SentOutcome,
} from '../port.ts';
import { untilAborted } from '../until-aborted.ts';
import { asSaved, cardOf, knownCard, type NetworkFault, type SimulatedCard, wordsOf } from './simulated-cards.rules.ts';
import { readDispute } from './simulated-disputes.ts';
import { listRecords } from './simulated-list.ts';
import {
  type CardEntry,
  cardTypes,
  type EntryKey,
  type EntryRow,
  lookUpStatement,
  loseSending,
  recordCapture,
  recordCards,
  recordRefund,
  recordRelease,
  recordSaved,
  type SavedEntry,
  type SavedRow,
  savedTypes,
} from './simulated-statements.ts';

/** A hold can be captured for so long, as with most banks. */
const holdDays = 7;
/** An account that stores this key gets an authentication error for each call. */
const revokedKey = 'sim_key_revoked';
/** Its own: calls never wait for the service's connections, nor the service for those of calls. */
const poolMax = 4;
const slowMsDefault = 3_000;
/**
 * No caller waits until its entries are on the disk. What follows from an answer is written to the same database afterwards,
 * and the server flushes in that order: after a crash the books lack at most what no other has written down, and such a
 * payment counts as never received.
 */
const notFlushed = { synchronous_commit: 'off' };

export interface SimulatedProcessor extends PaymentProcessor {
  close(): Promise<void>;
}

interface SimulatedOptions {
  /** The books are in the schema `simulated_processor` of this database. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  /** How long `sim_slow` takes, in real milliseconds. */
  readonly slowMs?: number;
}

interface Books {
  readonly database: Database;
  readonly cards: EntryWriter<CardEntry, EntryRow | undefined>;
  /** Its row is undefined for a method that is not in the books. */
  readonly saved: EntryWriter<SavedEntry, SavedRow | undefined>;
  readonly clock: Clock;
  readonly slowMs: number;
}

/**
 * A processor that moves no money, written as an outside party: it has its books, its connections and its own idea of
 * what may be done, and it answers, or fails to, as the token says (docs/payment-processors.md).
 * Calls throw for a key that is used again with other parameters, for a reference that does not exist, for a revoked
 * API key, and with the signal's reason when it aborts.
 */
export async function openSimulatedProcessor(options: SimulatedOptions): Promise<SimulatedProcessor> {
  const { databaseUrl: url, clock, slowMs = slowMsDefault } = options;
  const database = await openDatabase({
    url,
    applicationName: 'simulated-processor',
    service: 'billing',
    entities: [],
    migrations: [],
    poolMax,
    settings: notFlushed,
  });
  const cards = createEntryWriter(database, 'card', (entries: readonly CardEntry[]) =>
    recordCards(columnsOf(entries, cardTypes)),
  );
  const saved = createEntryWriter(database, 'saved card', (entries: readonly SavedEntry[]) =>
    recordSaved(columnsOf(entries, savedTypes)),
  );
  const books: Books = { database, cards, saved, clock, slowMs };
  const guarded =
    <Request>(work: (request: Request, call: ProcessorCall) => Promise<ProcessorOutcome>) =>
    async (request: Request, call: ProcessorCall): Promise<SentOutcome> =>
      call.secretKey === revokedKey ? refusedKey : await work(request, call);
  return {
    name: 'simulated',
    authorize: guarded((request, call) => sendCard(books, 'hold', request, call)),
    charge: guarded((request, call) => sendCard(books, 'charge', request, call)),
    saveMethod: guarded((request, call) => sendCard(books, 'method', request, call)),
    chargeSaved: guarded((request, call) => sendSaved(books, request, call)),
    capture: guarded((request, call) => sendFollowing(books, recordCapture, 'capture', request, call)),
    refund: guarded((request, call) => sendFollowing(books, recordRefund, 'refund', request, call)),
    release: guarded((request, call) => sendFollowing(books, recordRelease, 'release', request, call)),
    lookUp: async (sent, call) => {
      authenticate(call);
      return await lookUp(books, sent, call);
    },
    list: (from, to, call) => {
      authenticate(call);
      return listRecords(database, { from, to, now: clock.now() }, call);
    },
    readDispute: async (reference, call) => {
      authenticate(call);
      return await readDispute(database, reference, clock.now(), call);
    },
    close: async () => {
      await Promise.all([cards.close(), saved.close()]);
      await database.close();
    },
  };
}

type EntryWriter<Entry, Row> = Pick<Batcher<Entry, Row>, 'add' | 'close'>;

const keyOf = ({ account_id, test, payment_id }: EntryKey) => `${account_id} ${test} ${payment_id}`;

/** As most processors, it takes many cards at once: those that arrive together share a statement on the books. */
function createEntryWriter<Entry extends EntryKey, Row>(
  { pool }: Database,
  what: string,
  record: (entries: readonly Entry[]) => StatementQuery<EntryKey & Row>,
): EntryWriter<Entry, Row | undefined> {
  return createBatcher<Entry, Row | undefined>({
    span: { service: 'billing', one: `simulate ${what}`, many: `simulate ${what}s`, count: 'app.payments' },
    concurrency: 2,
    // As many renewals as a daily run sends together: in two parts its next claims would be in two as well.
    maxSize: 256,
    keysOf: (entry) => [keyOf(entry)],
    run: together(async (entries) => {
      const written = new Map((await pool.query(record(entries))).rows.map((row) => [keyOf(row), row]));
      return entries.map((entry) => written.get(keyOf(entry)));
    }),
  });
}

/** A statement on the books; what no caller waits for any longer may still be recorded. */
async function queryBooks<Row extends object>(
  books: Books,
  { signal }: ProcessorCall,
  query: StatementQuery<Row>,
): Promise<Row[]> {
  return (await untilAborted(signal, () => books.database.pool.query(query))).rows;
}

const refusedKeyText = 'The simulated processor does not accept the API key.';
const refusedKey: SentOutcome = { status: 'not_done', why: 'key_refused', message: refusedKeyText };

function authenticate({ secretKey }: ProcessorCall): void {
  if (secretKey === revokedKey) throw new NothingDoneError('key_refused', refusedKeyText);
}

async function sendCard(
  books: Books,
  kind: CardEntry['kind'],
  request: CardRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const card = cardOf(request.paymentMethod);
  if (card.fault === 'request_lost' && (await isLost(books, request.paymentId, call))) return await noAnswer(call);
  const { paymentMethod, customerEmail, orderId, returnUrl, savesCard = true } = request;
  const parameters = digest(kind, request, [paymentMethod, customerEmail, orderId, returnUrl]);
  const row = await writeCard(books, { kind, card, request, parameters, returnUrl, savesCard }, call);
  return await answerOf(books, row, { paymentId: request.paymentId, parameters }, card.fault, call);
}

interface SentCard {
  readonly kind: CardEntry['kind'];
  readonly card: SimulatedCard;
  readonly request: Pick<CardRequest, 'paymentId' | 'amountCents' | 'currency' | 'orderId'>;
  readonly parameters: string;
  readonly returnUrl: string | null;
  readonly savesCard?: boolean;
}

async function writeCard(books: Books, sent: SentCard, { signal, ...call }: ProcessorCall): Promise<EntryRow> {
  const { kind, card, request, parameters, returnUrl, savesCard = false } = sent;
  const { answer } = card;
  const isDeclined = answer !== 'succeeded' && answer !== 'requires_action';
  const reference = newReference(books, kind);
  const entry: CardEntry = {
    account_id: call.accountId,
    test: call.test,
    payment_id: request.paymentId,
    reference,
    kind,
    status: isDeclined ? 'declined' : answer,
    reason: isDeclined ? answer : null,
    amount_cents: request.amountCents,
    currency: request.currency,
    order_id: request.orderId,
    parameters,
    recorded_at: books.clock.now(),
    last_four: card.lastFour ?? null,
    traits: card.traits,
    saved_method: isDeclined || !savesCard ? null : `sim_pm_${newIdSuffix(books.clock.nowMs())}`,
    action_url: answer === 'requires_action' ? confirmationUrl(returnUrl, reference) : null,
    capture_before: kind === 'hold' && answer === 'succeeded' ? captureBefore(books) : null,
  };
  return (await untilAborted(signal, () => books.cards.add(entry))) as EntryRow;
}

async function sendSaved(books: Books, request: SavedMethodRequest, call: ProcessorCall): Promise<ProcessorOutcome> {
  const { paymentId, savedMethod, customerEmail, orderId, amountCents, currency, confirmation } = request;
  const wayBack = confirmation === undefined ? [] : [confirmation.returnUrl];
  const parameters = digest('charge', request, [savedMethod, customerEmail, orderId, ...wayBack]);
  const sent = { paymentId, parameters };
  const token = knownCard(savedMethod);
  if (token === undefined) {
    const reference = newReference(books, 'charge');
    const row = await untilAborted(call.signal, () =>
      books.saved.add({
        account_id: call.accountId,
        test: call.test,
        payment_id: paymentId,
        saved_method: savedMethod,
        amount_cents: amountCents,
        currency,
        order_id: orderId,
        parameters,
        reference,
        recorded_at: books.clock.now(),
        action_url: confirmation === undefined ? null : confirmationUrl(confirmation.returnUrl, reference),
      }),
    );
    if (row !== undefined) {
      return await answerOf(books, row, sent, row.unanswered ? 'answer_lost' : undefined, call);
    }
  }
  const card = asSaved(token ?? cardOf(savedMethod), confirmation !== undefined);
  if (card.fault === 'request_lost' && (await isLost(books, paymentId, call))) return await noAnswer(call);
  const returnUrl = confirmation?.returnUrl ?? null;
  const row = await writeCard(books, { kind: 'charge', card, request, parameters, returnUrl }, call);
  return await answerOf(books, row, sent, card.fault, call);
}

async function sendFollowing(
  books: Books,
  record: typeof recordCapture,
  kind: 'capture' | 'refund' | 'release',
  request: ReferenceRequest,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  const { paymentId, reference, amountCents, currency } = request;
  const parameters = digest(kind, request, [reference]);
  const values = [call.accountId, call.test, paymentId, newReference(books, kind), reference, amountCents, currency];
  const rows = await queryBooks(books, call, record([...values, parameters, books.clock.now()]));
  const [row] = rows;
  if (row === undefined) throw new Error(`the simulated processor knows no ${reference}`);
  return await answerOf(books, row, { paymentId, parameters }, undefined, call);
}

async function lookUp(books: Books, sent: PaymentRequest, call: ProcessorCall): Promise<ProcessorOutcome | null> {
  const { paymentId, amountCents, currency } = sent.request;
  const values = [call.accountId, call.test, paymentId, books.clock.now(), captureBefore(books)];
  const [row] = await queryBooks(books, call, lookUpStatement(values));
  if (row === undefined) return null;
  if (row.kind !== kinds[sent.call] || row.amount_cents !== amountCents || row.currency !== currency) {
    const { reference, kind, status, amount_cents, currency: got } = row;
    throw new OtherPaymentError({ reference, kind, status, amountCents: amount_cents, currency: got });
  }
  return entryOutcome(row);
}

const kinds: Readonly<Record<PaymentRequest['call'], EntryRow['kind']>> = {
  authorize: 'hold',
  charge: 'charge',
  chargeSaved: 'charge',
  saveMethod: 'method',
  capture: 'capture',
  refund: 'refund',
  release: 'release',
};

/** The answer to the entry, unless the card has a network fault; a key that arrived before is always answered. */
async function answerOf(
  books: Books,
  row: EntryRow,
  { paymentId, parameters }: { readonly paymentId: string; readonly parameters: string },
  fault: NetworkFault | undefined,
  call: ProcessorCall,
): Promise<ProcessorOutcome> {
  if (row.parameters !== parameters) {
    throw new Error('the simulated processor got this idempotency key before, with other parameters');
  }
  simulatedCallRecorded.announce(() => ({ paymentId, lost: false }));
  if (row.sendings === 1) {
    if (fault === 'answer_lost') return await noAnswer(call);
    if (fault === 'connection_broken') throw new Error('the simulated processor broke the connection');
    // It answers a caller that waits by then: also after the deadline.
    if (fault === 'slow') await sleep(books.slowMs, undefined, { ref: false });
  }
  return entryOutcome(row);
}

function entryOutcome(row: EntryRow): ProcessorOutcome {
  const lastFour = row.last_four === null ? {} : { lastFour: row.last_four };
  if (row.status === 'declined' || row.status === 'failed') {
    const reason = row.reason ?? 'card_declined';
    return { status: 'declined', ...wordsOf(reason), reason, ...lastFour };
  }
  if (row.status === 'requires_action') {
    return { status: 'requires_action', reference: row.reference, url: row.action_url ?? '' };
  }
  return {
    status: 'succeeded',
    reference: row.reference,
    ...(row.saved_method === null ? {} : { savedMethod: row.saved_method }),
    ...lastFour,
    ...(row.capture_before === null ? {} : { captureBefore: row.capture_before }),
  };
}

async function isLost(books: Books, paymentId: string, call: ProcessorCall): Promise<boolean> {
  const rows = await queryBooks(books, call, loseSending([call.accountId, call.test, paymentId, books.clock.now()]));
  const lost = rows.length > 0;
  if (lost) simulatedCallRecorded.announce(() => ({ paymentId, lost }));
  return lost;
}

/** @throws the signal's reason once it aborts */
const noAnswer = ({ signal }: ProcessorCall): Promise<never> =>
  untilAborted(signal, () => new Promise<never>(() => undefined));

/** The bank's page is the way back itself: its simulated buyer has decided by the time of a request. */
function confirmationUrl(returnUrl: string | null, reference: string): string {
  const url = new URL(
    returnUrl !== null && URL.canParse(returnUrl) ? returnUrl : 'https://simulated-processor.invalid/confirm',
  );
  url.searchParams.set('simulated_confirmation', reference);
  return url.href;
}

const captureBefore = ({ clock }: Books): Date => new Date(clock.nowMs() + holdDays * dayMs);

const newReference = ({ clock }: Books, kind: string): string => `sim_${kind}_${newIdSuffix(clock.nowMs())}`;

/** Of everything that a request says: the books distinguish another request under the same key without keeping its token. */
function digest(
  operation: string,
  { amountCents, currency }: Pick<CardRequest, 'amountCents' | 'currency'>,
  rest: readonly (string | null)[],
): string {
  return hash('sha256', JSON.stringify([operation, amountCents, currency, ...rest]), 'base64url');
}
