import { DomainError } from '@app/contracts/errors';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { guardLeaks } from '@app/testing/leak-guard';
import { randomRuns, volume } from '@app/testing/long';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { releaseHold } from '../src/advancing/release-hold.ts';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { continuePayment } from '../src/charging/continue-payment.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { lookUpAttempt } from '../src/reconciliation/lost-attempts.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { Backups } from './backups.ts';
import { type DyingProcess, dyingAt } from './dying-process.ts';
import { hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { type Surroundings, surroundings } from './random-moments.ts';
import { expectBooksEqual, expectNothingReleasedStands } from './reconciliation.ts';
import { openReplicasOf, replicas } from './set-up.ts';
import { untilSettled } from './until-settled.ts';

guardLeaks();

/** Calls that are never answered, and requests that never arrive, are among the faults. */
const cards = [
  ...['sim_ok', 'sim_ok', 'sim_declined', 'sim_requires_action', 'sim_action_ignored', 'sim_action_refused'],
  ...['sim_capture_fails', 'sim_hold_expires', 'sim_renewal_declined', 'sim_error_after', 'sim_refund_declined'],
];

type Request =
  | { readonly kind: 'start'; readonly attemptNo: number; readonly card: string | null }
  /** Two tabs: one comes back from the bank, while the other gives another card. */
  | { readonly kind: 'tabs'; readonly attemptNo: number; readonly card: string }
  | { readonly kind: 'settle'; readonly decision: 'accepted' | 'declined' }
  /** The part with this number: of two with one number the second is the first one's command again. */
  | { readonly kind: 'refund part'; readonly part: number }
  /** The seller gives back a part of the first charge, or all that is left of it, at the processor itself. */
  | { readonly kind: 'refund there'; readonly amountCents: number | undefined }
  /** The seller captures the hold there, wholly or in part, or ends it. */
  | { readonly kind: 'capture there'; readonly amountCents: number | undefined }
  | { readonly kind: 'cancel there' }
  /** `release`: the seller ends the hold without a charge. */
  | { readonly kind: 'continue' | 'refund' | 'release' | 'round' | 'daily' };

/** Parts that are given back: of the order's first charge or of its last one; an amount left out is all that is left. */
const parts = [
  { charge: 0, amountCents: 1_000 },
  { charge: 0, amountCents: 4_500 },
  { charge: -1, amountCents: 700 },
  { charge: -1, amountCents: undefined },
] as const;

/** What happens at one moment: which requests come to which replica at once, what fails, where a process is killed, what time passes. */
interface Moment extends Surroundings {
  readonly requests: readonly { readonly request: Request; readonly at: 0 | 1 }[];
}

const request: fc.Arbitrary<Request> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('start' as const),
      attemptNo: fc.integer({ min: 1, max: 3 }),
      // Of one that checkout's sweep checks there is no card: it is only looked up.
      card: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...cards) }, { weight: 1, arbitrary: fc.constant(null) }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('tabs' as const),
      attemptNo: fc.integer({ min: 2, max: 4 }),
      card: fc.constantFrom(...cards),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      decision: fc.constantFrom('accepted' as const, 'declined' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refund part' as const),
      part: fc.integer({ min: 0, max: parts.length - 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'release' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('refund there' as const),
      amountCents: fc.constantFrom(600, undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('capture there' as const),
      amountCents: fc.constantFrom(3_000, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancel there' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('continue' as const, 'refund' as const, 'round' as const, 'daily' as const),
    }),
  },
);
const moment: fc.Arbitrary<Moment> = fc.record({
  requests: fc.array(fc.record({ request, at: fc.constantFrom(0 as const, 1 as const) }), {
    minLength: 1,
    maxLength: 3,
  }),
  ...surroundings({ faults: 2, seam: 30 }, [0, 0, 3_000, 12_000, minuteMs, 5 * minuteMs, hourMs, 3 * hourMs]),
});

describe.each(['simulated', 'stripe'] as const)('%s', (processor) => {
  openReplicasOf(processor, undefined, { losesRequests: true });

  test('whatever is clicked, lost, doubled, late, killed or restored: our books equal the processor’s, and nothing is taken twice', {
    timeout: volume(180_000, 3 * hourMs),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(moment, { minLength: 2, maxLength: 9 }), async (held, moments) => {
        await replicas.clear();
        const order = newOrder(held);
        const run = new Processes();
        const backups = new Backups(replicas, order.account);
        for (const each of moments) await live(run, backups, order, each);
        await reconcile(run, order);
        await expectBooksEqual(replicas, order.account, order.input.orderId, backups.lost);
        expect(replicas.errors).toEqual([]);
      }),
      { ...(processor === 'stripe' ? randomRuns(6, 2_000) : randomRuns(12, 8_000)), endOnFailure: true },
    );
  });
});

interface Order {
  readonly account: string;
  readonly input: StartInput;
  /** The ids of the commands that give parts back. */
  readonly commands: readonly string[];
  /** When each attempt began at checkout. */
  readonly begunAt: Map<number, string>;
}

const newOrder = (held: boolean): Order => ({
  account: newAccount(),
  input: startInput({
    hold: held ? { upsell, decisionMinutes: 60 } : null,
    returnUrl: 'https://shop.example/c/shop/course',
    orderId: newId('order', replicas.clock.nowMs()),
  }),
  commands: parts.map(() => newIdSuffix(replicas.clock.nowMs())),
  begunAt: new Map(),
});

/** Two replicas; a killed one is replaced, and what it had sent is still on its way. */
class Processes {
  readonly all: Replica[] = [];
  #living: [Replica, Replica];

  constructor() {
    this.#living = [this.#start(), this.#start()];
  }

  at(index: 0 | 1): Replica {
    return this.#living[index];
  }

  /** The first one, until `replaceKilled`. */
  kill(process: DyingProcess): void {
    this.#living[0] = this.#start(process);
  }

  replaceKilled(): void {
    this.#living[0] = this.#start();
  }

  /** Billing is started anew. */
  replaceAll(): void {
    this.#living = [this.#start(), this.#start()];
  }

  async deliverLate(): Promise<void> {
    for (const { processor } of this.all) await processor.deliverLate();
    await replicas.outside.deliverLate();
  }

  #start(process?: DyingProcess): Replica {
    const replica = replicas.start(process);
    this.all.push(replica);
    return replica;
  }
}

async function live(
  run: Processes,
  backups: Backups,
  order: Order,
  { requests, faults: failing, requestFaults, database, killed, deliverLate, passMs }: Moment,
) {
  if (await backups.make(database)) {
    run.replaceAll();
    // To restore a database takes longer than a call of the processor.
    replicas.clock.advance(minuteMs);
  }
  if (killed !== null) run.kill(dyingAt(killed));
  run.at(0).fail(...failing);
  replicas.outside.failRequests(requestFaults);
  // Checkout knows of the attempt that billing has lost: it requests that one again or the next ones, and none before it.
  const lost = Math.min(...(await backups.lostSales()).map(({ attemptNo }) => attemptNo));
  const isMade = (what: Request) => !('attemptNo' in what) || lost === Infinity || what.attemptNo >= lost;
  const made = requests
    .filter(({ request: what }) => isMade(what))
    .flatMap(({ request: what, at }) => [
      make(run.at(at), order, what),
      ...(what.kind === 'tabs' ? [make(run.at(at === 0 ? 1 : 0), order, { kind: 'continue' })] : []),
    ]);
  for (const outcome of await Promise.allSettled(made)) {
    if (outcome.status === 'rejected') expectHarmless(outcome.reason);
  }
  await expectNothingReleasedStands(replicas, order.account, order.input.orderId);
  if (killed !== null) run.replaceKilled();
  if (deliverLate) await run.deliverLate();
  replicas.clock.advance(passMs);
}

/** An attempt; without a card it is looked up. */
async function startOrLookUp(
  { deps }: Replica,
  order: Order,
  { attemptNo, card }: Extract<Request, { kind: 'start' | 'tabs' }>,
): Promise<unknown> {
  const caller = { accountId: order.account, requestId: 'r' };
  const attempt = { ...order.input, ...attemptOf(order, attemptNo) };
  if (card === null) return await lookUpAttempt(deps, caller, attempt);
  return await startPayment(deps, caller, { ...attempt, paymentMethod: replicas.outside.card(card) });
}

async function make(replica: Replica, order: Order, request: Request): Promise<unknown> {
  const { deps, round, daily } = replica;
  const { account, input } = order;
  const caller = { accountId: account, requestId: 'r' };
  switch (request.kind) {
    case 'start':
    case 'tabs':
      return await startOrLookUp(replica, order, request);
    case 'settle':
      return await settleHold(deps, caller, input.orderId, request.decision);
    case 'continue':
      await replicas.outside.buyersDecide();
      return await continuePayment(deps, caller, input.orderId);
    case 'refund':
      return await refundCharges(deps, caller, input.orderId);
    case 'release':
      return await releaseHold(deps, caller, input.orderId);
    case 'refund part':
      return await refundPart(replica, order, request.part);
    case 'refund there': {
      const [charge] = (await replicas.money(account, input.orderId)).charges;
      return charge !== undefined && replicas.outside.refundThere(charge.reference, request.amountCents);
    }
    case 'capture there':
    case 'cancel there': {
      const { hold } = await replicas.money(account, input.orderId);
      if (hold === null) return false;
      const { captureThere, cancelThere } = replicas.outside;
      return request.kind === 'cancel there'
        ? cancelThere(hold.reference)
        : captureThere(hold.reference, request.amountCents);
    }
    case 'round':
      return await round();
    case 'daily':
      return await daily(account);
  }
}

function attemptOf({ begunAt }: Order, attemptNo: number): Pick<StartInput, 'attemptNo' | 'begunAt'> {
  const began = begunAt.get(attemptNo) ?? replicas.clock.now().toISOString();
  begunAt.set(attemptNo, began);
  return { attemptNo, begunAt: began };
}

async function refundPart({ deps }: Replica, { account, input, commands }: Order, part: number): Promise<unknown> {
  const { charge, amountCents } = parts[part] as (typeof parts)[number];
  const paymentId = (await replicas.money(account, input.orderId)).charges.at(charge)?.id;
  if (paymentId === undefined) return undefined;
  const caller = { accountId: account, requestId: 'r', commandId: commands[part] as string };
  return await refundPayment(deps, caller, paymentId, amountCents === undefined ? {} : { amountCents });
}

/** More than is left, and what the processor refuses; too early, or too late. */
const refusals = ['invalid_transition', 'validation_failed', 'already_refunded', 'refund_failed'];

/** A killed process sends no answer, and requests that come too early or too late are refused: nothing else may fail. */
function expectHarmless(err: unknown): void {
  if (isDeath(err) || (err instanceof DomainError && refusals.includes(err.code))) return;
  throw err;
}

/** The line works again, and days pass until nothing is left to do. */
async function reconcile(run: Processes, { account, input }: Order): Promise<void> {
  await run.deliverLate();
  run.replaceKilled();
  await untilSettled(replicas, run.at(0), account, input.orderId);
}
