import { newId } from '@app/contracts/ids';
import { type Database, openDatabase } from '@app/service-kit/database';
import { type Logger, silentLogger } from '@app/service-kit/logger';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { createMigratedDatabase } from '@app/testing/postgres';
import { runRound } from '../src/advancing/payments-loop.ts';
import type { AnswerWriter } from '../src/charging/answer-store.ts';
import { createAttemptWriter } from '../src/charging/attempt-store.ts';
import { createOrderMutex } from '../src/charging/order-mutex.ts';
import type { PaymentDeps } from '../src/charging/payment-deps.ts';
import { readMoney } from '../src/charging/payment-store.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { openAnswerWriters } from '../src/open-payments.ts';
import { newKeyRefusal } from '../src/processors/key-refusal.ts';
import { createOngoingCalls, type OngoingCalls } from '../src/processors/ongoing-calls.ts';
import type { PaymentProcessor } from '../src/processors/port.ts';
import type { ProcessorName } from '../src/processors/processor-registry.ts';
import { openSimulatedProcessor, type SimulatedProcessor } from '../src/processors/simulated/simulated-processor.ts';
import { createRestoredDatabase } from '../src/reconciliation/restored-database.ts';
import { type DailyCounts, noCounts } from '../src/runs/daily-counts.rules.ts';
import type { AccountRun } from '../src/runs/daily-step.ts';
import { renewDue } from '../src/subscriptions/renewals/renew-due.ts';
import { takeRenewalCounts } from '../src/subscriptions/renewals/take-renewal-counts.ts';
import { emptyDatabase } from './database-copy.ts';
import { type OutsideProcessor, simulatedOutside } from './outside-processor.ts';
import { type Fault, type FaultyProcessor, faultyProcessor, isSilent } from './processors/faulty-processor.ts';
import { stripeOutside } from './stripe/stripe-outside.ts';

/** One process of billing, without NATS: what it writes to the outbox is read from there. */
export interface Replica {
  readonly deps: PaymentDeps;
  /** Every processor call of this replica, with its fault. */
  readonly processor: FaultyProcessor;
  /** Faults of its next calls, in turn; later calls are answered, and so is each `list`. */
  fail(...faults: Fault[]): void;
  /** Its next `list` fails. */
  failList(): void;
  /** One round of the payments loop. */
  round(): Promise<void>;
  /** A daily run of one account; returns how many holds it settled. */
  daily(accountId: string, run?: Partial<AccountRun>): Promise<number>;
  /** The steps of a daily run that charge renewals and count what ended of them; returns its counts. */
  renew(accountId: string, run?: Partial<AccountRun>): Promise<RenewCounts>;
  /** Ends its processor calls, and what goes on without a caller. */
  close(): Promise<void>;
}

export type RenewCounts = Pick<DailyCounts, 'charged' | 'chargedCents' | 'retried' | 'canceled'>;

export interface Replicas {
  readonly clock: FakeClock;
  readonly database: Database;
  /** Of the database. */
  readonly url: string;
  readonly simulated: SimulatedProcessor;
  /** The processor that all of them charge through. */
  readonly outside: OutsideProcessor;
  /** A new process; `wrap` puts something between it and its database or processor. */
  start(wrap?: Wrap): Replica;
  money(accountId: string, orderId: string): ReturnType<typeof readMoney>;
  /** Data of the account's events in the order they were written, with their subjects. */
  events(accountId: string): Promise<WrittenEvent[]>;
  books(accountId: string): ReturnType<OutsideProcessor['books']>;
  /** What replicas have logged as errors: faults of ours, and not of their surroundings. */
  readonly errors: readonly unknown[];
  /** Leaves nothing behind that a round of another test would go on with, or that its backups would copy. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface WrittenEvent {
  readonly subject: string;
  readonly data: Record<string, unknown>;
}

export interface Wrap {
  readonly database?: (database: Database) => Database;
  readonly processor?: (processor: PaymentProcessor) => PaymentProcessor;
  /** Between it and what records the answers to payments of orders. */
  readonly answers?: (writer: AnswerWriter) => AnswerWriter;
  /** One deadline for all its processor calls, whether they are answered or not. */
  readonly deadlineMs?: number;
  /** How long a look-up waits for a list that is being read, in milliseconds of real time. */
  readonly listWaitMs?: number;
}

/** What the platform says that a processor call may take, in milliseconds of the test's clock. */
const deadlineMs = 20;

/**
 * @param processor what they charge through
 * @param losesRequests whether the test makes requests to it fail on their way
 */
export async function startReplicas(processor: ProcessorName = 'simulated', losesRequests = false): Promise<Replicas> {
  const storage = await createMigratedDatabase('billing', migrate);
  const clock = fakeClock('2026-03-15T12:00:00.000Z');
  const database = await openDatabase({ ...databaseOptions(storage.url), poolMax: 10 });
  const simulated = await openSimulatedProcessor({ databaseUrl: storage.url, clock });
  const outside =
    processor === 'stripe' ? await stripeOutside(clock, losesRequests) : simulatedOutside(clock, simulated, database);
  const started: Replica[] = [];
  const errors: unknown[] = [];
  const logger = Object.assign(Object.create(silentLogger()) as Logger, {
    error: (...line: unknown[]) => void errors.push(line),
  });
  return {
    ...{ clock, database, simulated, outside, errors, url: storage.url },
    start: (wrap = {}) => {
      const replica = newReplica({ clock, database, outside, logger }, wrap);
      started.push(replica);
      return replica;
    },
    money: (accountId, orderId) => readMoney(database, accountId, orderId),
    events: async (accountId) => {
      const { rows } = await database.pool.query<WrittenEvent>(
        `select subject, payload::json -> 'data' as data from outbox
         where payload::json ->> 'accountId' = $1 order by id`,
        [accountId],
      );
      return rows;
    },
    books: outside.books,
    clear: async () => {
      outside.clear();
      await emptyDatabase(database);
    },
    close: async () => {
      await Promise.all(started.map((replica) => replica.close()));
      await simulated.close();
      await outside.close();
      await database.close();
      await storage.close();
    },
  };
}

type Shared = Pick<Replicas, 'clock' | 'database' | 'outside'> & {
  readonly logger: Logger;
};

function newReplica(shared: Shared, wrap: Wrap): Replica {
  const faults: Fault[] = [];
  let failsList = false;
  const faultOfList = (): Fault => {
    const fault = failsList ? 'throws_before' : 'answered';
    failsList = false;
    return fault;
  };
  const faultOf = ({ method }: { readonly method: string }): Fault =>
    method === 'list' ? faultOfList() : (faults.shift() ?? 'answered');
  const database = wrap.database?.(shared.database) ?? shared.database;
  const { outside } = shared;
  const processor = faultyProcessor(outside.open(database), faultOf, shared.clock);
  const account = { processor: wrap.processor?.(processor) ?? processor, secretKey: outside.secretKey };
  const restored = createRestoredDatabase(() => deps, wrap.listWaitMs);
  const answerWriters = openAnswerWriters(database, shared.clock);
  const deps: PaymentDeps = {
    database,
    clock: shared.clock,
    logger: shared.logger,
    wakeRelay: () => undefined,
    processors: {
      chosen: async () => account,
      named: async () => account,
      takesRenewals: async () => true,
      renewalsAtOnce: () => account.processor.renewalsAtOnce,
    },
    processorCalls:
      wrap.deadlineMs === undefined
        ? patientCalls(createOngoingCalls(deadlineMs), processor, () => isSilent(faults[0]))
        : createOngoingCalls(wrap.deadlineMs),
    orderMutex: createOrderMutex(),
    attemptWriter: createAttemptWriter(database, { follow: async () => undefined }),
    answerWriters: { ...answerWriters, order: wrap.answers?.(answerWriters.order) ?? answerWriters.order },
    restored,
  };
  return {
    deps,
    processor,
    fail: (...next) => void faults.push(...next),
    failList: () => {
      failsList = true;
    },
    round: () => runRound(deps),
    daily: async (accountId, fields = {}) => {
      const counts = noCounts();
      const run = { ...runOf(accountId, deps), ...fields };
      for (const step of dailySteps(deps)) await step(deps, run, counts);
      return counts.holdsSettled;
    },
    renew: async (accountId, run = {}) => {
      const counts = noCounts();
      const renewing = { ...runOf(accountId, deps), ...run };
      for (const step of [renewDue(deps), takeRenewalCounts]) await step(deps, renewing, counts);
      const { charged, chargedCents, retried, canceled } = counts;
      return { charged, chargedCents, retried, canceled };
    },
    close: async () => {
      await deps.processorCalls.close();
      await restored.close();
    },
  };
}

/** Real time that the deadline of a call costs a test whose fault is silence. */
const silentMs = 1;
/** Longer than a test: the deadline is for calls that are never answered. */
const answeredWithinMs = 60_000;

/** A call that is answered meets no deadline: its outcome would depend on the machine's load. */
function patientCalls(calls: OngoingCalls, { arrived }: FaultyProcessor, nextIsSilent: () => boolean): OngoingCalls {
  return {
    ...calls,
    make: async (call, options) => {
      if (!nextIsSilent()) return await calls.make(call, { limitMs: answeredWithinMs, ...options });
      // The request may be on its way when its deadline passes; a test goes on when it has arrived.
      return await calls.make(call, { limitMs: silentMs, ...options }).finally(arrived);
    },
  };
}

/** The daily run of an account, as a step sees it. */
export const runOf = (accountId: string, { clock }: Pick<PaymentDeps, 'clock'>): AccountRun => ({
  accountId,
  runId: newId('dailyRun', clock.nowMs()),
  ...{ test: false, now: () => clock.now(), isClosing: () => false },
  progress: { expect: () => undefined, done: () => undefined },
  notCharged: new Set(),
  keyRefusal: newKeyRefusal(),
});

export const newAccount = (): string => newId('account', Date.parse('2026-03-15T12:00:00.000Z'));
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
