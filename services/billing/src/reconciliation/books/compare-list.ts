import type { BooksComparison } from '@app/contracts/daily-runs';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { readRequest } from '../../charging/payment-rows.ts';
import { recordDispute } from '../../disputes/record-dispute.ts';
import { type FeeRow, recordFees } from '../../fees/record-fees.ts';
import { factOf } from '../../ledger/facts.rules.ts';
import { writeFacts } from '../../ledger/write-facts.ts';
import type { PaymentProcessor, ProcessorCall, ProcessorRecord } from '../../processors/port.ts';
import { reopenCharges } from '../../refunds/reopen-charges.ts';
import { isRecordOf, kindOfPayment, type MoneyKind, notAtProcessor, type Orphan } from './books.rules.ts';
import { type ComparedTime, clocksDifferMs } from './compared-time.rules.ts';
import { endsHold, judge } from './judge-page.ts';
import { notifyOrphans } from './notify-orphans.ts';
import { ownHoldsOf } from './own-holds.ts';
import { type Books, type ComparedPayment, ownPaymentsOf } from './own-payments.ts';
import { type OwnMoney, type PlatformSide, platformSide } from './platform-side.ts';

/** What a comparison found so far. */
export interface Found {
  readonly charges: number;
  readonly refunds: number;
  readonly holds: number;
  /** Disputes that are recorded here; their money is that of a charge that stands on both sides. */
  readonly disputes: number;
  /** The first ones. */
  readonly orphans: BooksComparison['orphans'];
  readonly orphanCount: number;
  /** What the processor kept, by the currency in which it pays out. */
  readonly fees: ReadonlyMap<string, number>;
}

export const listedOrphansMax = 100;
/** More than a seller can read: what is beyond is counted, and reported by the next runs, which skip what was reported. */
const reportedMax = 1_000;
/** Payments that the list lacks are looked up one by one. Where a whole list lacks more, they count as lacking. */
const lookUpsMax = 100;
/** A few hundred bytes each. */
const unexplainedHoldsMax = 1_000;

interface ListedTime extends Pick<ComparedTime, 'isWhole'> {
  readonly from: Date;
}

/** How one payment is looked up at the processor. */
interface Requested {
  readonly processor: PaymentProcessor;
  readonly call: Omit<ProcessorCall, 'signal'>;
}

/**
 * Searches for what explains records that no payment here has, or that one was declined for. What is compared once may never be listed again before a charge,
 * so it has to be kept here what stops charges.
 */
export type MatchPage = (deps: PaymentDeps, listed: Requested, records: readonly ProcessorRecord[]) => Promise<void>;

/** Compares one processor's list with what the platform recorded, page by page. Of rehearsals, only refunds that failed and disputes. */
export class ListComparison {
  readonly #deps: PaymentDeps;
  readonly #books: Books;
  readonly #requested: Requested;
  readonly #match: MatchPage;
  readonly #sides: Record<MoneyKind, PlatformSide>;
  readonly #orphans: BooksComparison['orphans'] = [];
  readonly #onlyLookedUp = { charge: 0, refund: 0, hold: 0 };
  /** Holds of the processor that nothing explains so far: the list may show their release. By their references. */
  readonly #unexplainedHolds = new Map<string, Orphan>();
  #orphanCount = 0;
  #reported = 0;
  #lookUps = 0;
  readonly #isWhole: boolean;
  /** When this reading of the list began. */
  readonly #readingAt: Date;
  #unrequested = 0;
  #disputes = 0;
  readonly #fees = new Map<string, number>();

  /** @param time from when on each of our payments has to be in the list; a whole one begins earlier */
  constructor(deps: PaymentDeps, books: Books, { from, isWhole }: ListedTime, requested: Requested, match: MatchPage) {
    this.#deps = deps;
    this.#books = books;
    this.#requested = requested;
    this.#match = match;
    this.#isWhole = isWhole;
    this.#readingAt = deps.clock.now();
    this.#sides = {
      charge: platformSide(deps.database, books, 'charge', from),
      refund: platformSide(deps.database, books, 'refund', from),
      hold: platformSide(deps.database, books, 'hold', from),
    };
  }

  get found(): Found {
    return {
      charges: this.#sides.charge.equal + this.#onlyLookedUp.charge,
      refunds: this.#sides.refund.equal + this.#onlyLookedUp.refund,
      holds: this.#sides.hold.equal + this.#onlyLookedUp.hold,
      disputes: this.#disputes,
      orphans: this.#orphans,
      orphanCount: this.#orphanCount,
      fees: this.#fees,
    };
  }

  /** Nothing stands on one side only, and nothing was left to the next comparison. */
  get explainsAll(): boolean {
    return this.#orphanCount === 0 && this.#unrequested === 0;
  }

  /** Compares a page of the processor's list, which goes on where the page before ended. */
  async page(records: readonly ProcessorRecord[]): Promise<void> {
    const facts = records.flatMap((record) => factOf(record) ?? []);
    await writeFacts(this.#deps.database, this.#books, facts, { by: 'list', at: this.#readingAt });
    const money = records.filter(({ kind }) => kind !== 'dispute');
    const wanted = this.#books.test ? money.filter(isFailedRefund) : money;
    const { database } = this.#deps;
    const ownOf = await this.#ownOf(wanted);
    const endings = wanted.filter((record) => endsHold(record, ownOf(record)));
    const holds = await ownHoldsOf(database, this.#books, endings);
    const { orphans, failed, known, leftAlone } = judge(wanted, ownOf, holds);
    this.#unrequested += leftAlone.length;
    for (const own of known) {
      const kind = kindOfPayment(own);
      if (kind !== null && own.finished_at !== null) this.#sides[kind].listed(own.id, own.finished_at);
    }
    await this.#recordFees(wanted, ownOf);
    for (const refund of failed) await reopenCharges(this.#deps, refund);
    await this.#recordDisputes(records);
    await this.#add(this.#withoutHolds(orphans));
    for (const { about } of endings) this.#unexplainedHolds.delete(about ?? '');
    const untilMs = records.at(-1)?.recordedAt.getTime();
    if (untilMs === undefined) return;
    const surelyListed = new Date(untilMs - clocksDifferMs);
    await this.#pass(surelyListed, surelyListed);
  }

  /** Of charges that stand on both sides. */
  async #recordFees(
    records: readonly ProcessorRecord[],
    ownOf: Awaited<ReturnType<typeof ownPaymentsOf>>,
  ): Promise<void> {
    const rows = records.flatMap((record) => {
      const own = ownOf(record);
      const isEqual = own?.status === 'succeeded' && record.status === 'succeeded' && isRecordOf(record, own);
      return isEqual ? chargeFees(own, record) : [];
    });
    await recordFees(this.#deps.database.pool, rows);
    for (const { currency, amount_cents } of rows) this.#addFee(currency, amount_cents);
  }

  #addFee(currency: string, cents: number): void {
    this.#fees.set(currency, (this.#fees.get(currency) ?? 0) + cents);
  }

  /** One of a charge that is not known here is read again by the next comparison: by then the charge may be known. */
  async #recordDisputes(records: readonly ProcessorRecord[]): Promise<void> {
    for (const { dispute } of records) {
      if (dispute === undefined) continue;
      if (await recordDispute(this.#deps, this.#books, dispute)) {
        this.#disputes += 1;
        for (const { currency, amountCents } of dispute.fees ?? []) this.#addFee(currency, amountCents);
      } else this.#unrequested += 1;
    }
  }

  async #ownOf(records: readonly ProcessorRecord[]): ReturnType<typeof ownPaymentsOf> {
    const { database } = this.#deps;
    const ownOf = await ownPaymentsOf(database, this.#books, records);
    if (this.#books.test) return ownOf;
    const unexplained = records.filter((record) => {
      const own = ownOf(record);
      return own === undefined || (own.status === 'declined' && record.status === 'succeeded');
    });
    if (unexplained.length === 0) return ownOf;
    await this.#match(this.#deps, this.#requested, unexplained);
    return await ownPaymentsOf(database, this.#books, records);
  }

  /** The list had everything until then: what of ours it did not have is missing there. */
  async end(until: Date): Promise<void> {
    await this.#pass(until, new Date(until.getTime() - clocksDifferMs));
    await this.#add([...this.#unexplainedHolds.values()]);
  }

  /** Holds of the processor wait until the end of the list; where there are very many, only the last ones do. */
  #withoutHolds(orphans: readonly Orphan[]): Orphan[] {
    const money: Orphan[] = [];
    for (const orphan of orphans) {
      if (orphan.kind !== 'hold' || orphan.side !== 'processor') money.push(orphan);
      else this.#unexplainedHolds.set(orphan.id, orphan);
    }
    for (const [reference, orphan] of this.#unexplainedHolds) {
      if (this.#unexplainedHolds.size <= unexplainedHoldsMax) break;
      this.#unexplainedHolds.delete(reference);
      money.push(orphan);
    }
    return money;
  }

  /** @param surelyListed the list may not have yet what was recorded since */
  async #pass(until: Date, surelyListed: Date): Promise<void> {
    if (this.#books.test) return;
    for (const kind of ['charge', 'refund', 'hold'] as const) {
      for await (const missing of this.#sides[kind].passUntil(until)) {
        await this.#missing(kind, missing, surelyListed);
      }
    }
  }

  async #missing(kind: MoneyKind, missing: readonly OwnMoney[], surelyListed: Date): Promise<void> {
    const orphans: Orphan[] = [];
    for (const own of missing) {
      if (own.is_over) continue;
      const isThere = await this.#isThere(own);
      if (isThere === true) this.#onlyLookedUp[kind] += 1;
      else if (isThere === undefined && !this.#isWhole) this.#unrequested += 1;
      else if (isThere === false || own.at < surelyListed) orphans.push(notAtProcessor(kind, own));
    }
    await this.#add(orphans);
  }

  /** The processor's own word on one payment; undefined after as many lookups as a comparison may make. */
  async #isThere({ id, processor_reference }: OwnMoney): Promise<boolean | undefined> {
    if (this.#lookUps >= lookUpsMax) return undefined;
    this.#lookUps += 1;
    const { processor, call } = this.#requested;
    const sent = await readRequest(this.#deps.database, call.accountId, id);
    const outcome = await this.#deps.processorCalls.make((signal) => processor.lookUp(sent, { ...call, signal }));
    return outcome?.status === 'succeeded' && outcome.reference === processor_reference;
  }

  async #add(orphans: readonly Orphan[]): Promise<void> {
    this.#orphanCount += orphans.length;
    const listed = orphans.slice(0, listedOrphansMax - this.#orphans.length);
    this.#orphans.push(...listed.map(({ orderId: _, ...orphan }) => orphan));
    if (this.#reported < reportedMax) this.#reported += await notifyOrphans(this.#deps, this.#books, orphans);
  }
}

const isFailedRefund = ({ kind, status }: ProcessorRecord): boolean => kind === 'refund' && status === 'failed';

const chargeFees = (
  { account_id, id }: ComparedPayment,
  { reference, recordedAt, fees = [] }: ProcessorRecord,
): FeeRow[] =>
  fees.map(({ amountCents, currency }) => ({
    account_id,
    charge_id: id,
    kind: 'charge',
    reference,
    amount_cents: amountCents,
    currency,
    incurred_at: recordedAt,
  }));
