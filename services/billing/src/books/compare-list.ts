import type { BooksComparison } from '@app/contracts/daily-runs';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { PaymentProcessor, ProcessorCall, ProcessorRecord } from '../processors/payment-processor.ts';
import { type FailedRefund, reopenCharges } from '../refunds/reopen-charges.ts';
import { type MoneyKind, notAtProcessor, type Orphan, verdictOn } from './books.rules.ts';
import { type ComparedTime, clocksDifferMs } from './compared-time.rules.ts';
import { type Books, type ComparedPayment, ownPaymentsOf } from './own-payments.ts';
import { type OwnMoney, type PlatformSide, platformSide } from './platform-side.ts';
import { tellOrphans } from './tell-orphans.ts';

/** What a comparison found so far. */
export interface Found {
  readonly charges: number;
  readonly refunds: number;
  /** The first ones. */
  readonly orphans: BooksComparison['orphans'];
  readonly orphanCount: number;
}

export const listedOrphansMax = 100;
/** More than a seller can read: what is beyond is counted, and told by the next runs, which skip what was told. */
const toldMax = 1_000;
/** Payments that the list lacks are asked for one by one. Where a whole list lacks more, they count as lacking. */
const lookUpsMax = 100;

interface ListedTime extends Pick<ComparedTime, 'isWhole'> {
  readonly from: Date;
}

/** How the processor is asked for one payment. */
interface Asked {
  readonly processor: PaymentProcessor;
  readonly call: Omit<ProcessorCall, 'signal'>;
}

/** Compares one processor's list with what the platform recorded, page by page. Of rehearsals, only refunds that failed. */
export class ListComparison {
  readonly #deps: PaymentDeps;
  readonly #books: Books;
  readonly #asked: Asked;
  readonly #sides: Record<MoneyKind, PlatformSide>;
  readonly #orphans: BooksComparison['orphans'] = [];
  readonly #onlyLookedUp = { charge: 0, refund: 0 };
  #orphanCount = 0;
  #told = 0;
  #lookUps = 0;
  readonly #isWhole: boolean;
  #unasked = 0;

  /** @param time from when on each of our payments has to be in the list; a whole one begins earlier */
  constructor(deps: PaymentDeps, books: Books, { from, isWhole }: ListedTime, asked: Asked) {
    this.#deps = deps;
    this.#books = books;
    this.#asked = asked;
    this.#isWhole = isWhole;
    this.#sides = {
      charge: platformSide(deps.database, books, 'charge', from),
      refund: platformSide(deps.database, books, 'refund', from),
    };
  }

  get found(): Found {
    return {
      charges: this.#sides.charge.equal + this.#onlyLookedUp.charge,
      refunds: this.#sides.refund.equal + this.#onlyLookedUp.refund,
      orphans: this.#orphans,
      orphanCount: this.#orphanCount,
    };
  }

  /** Nothing stands on one side only, and nothing was left to the next comparison. */
  get explainsAll(): boolean {
    return this.#orphanCount === 0 && this.#unasked === 0;
  }

  /** Compares a page of the processor's list, which goes on where the page before ended. */
  async page(records: readonly ProcessorRecord[]): Promise<void> {
    const wanted = this.#books.test ? records.filter(isFailedRefund) : records;
    const { orphans, failed, known } = judge(wanted, await ownPaymentsOf(this.#deps.database, this.#books, wanted));
    for (const { call, id, finished_at } of known) {
      if (finished_at !== null) this.#sides[call === 'refund' ? 'refund' : 'charge'].listed(id, finished_at);
    }
    for (const refund of failed) await reopenCharges(this.#deps, refund);
    await this.#add(orphans);
    const untilMs = records.at(-1)?.recordedAt.getTime();
    if (untilMs === undefined) return;
    const surelyListed = new Date(untilMs - clocksDifferMs);
    await this.#pass(surelyListed, surelyListed);
  }

  /** The list had everything until then: what of ours it did not have is missing there. */
  async end(until: Date): Promise<void> {
    await this.#pass(until, new Date(until.getTime() - clocksDifferMs));
  }

  /** @param surelyListed the list may not have yet what was recorded since */
  async #pass(until: Date, surelyListed: Date): Promise<void> {
    if (this.#books.test) return;
    for (const kind of ['charge', 'refund'] as const) {
      for await (const missing of this.#sides[kind].passUntil(until)) {
        await this.#missing(kind, missing, surelyListed);
      }
    }
  }

  async #missing(kind: MoneyKind, missing: readonly OwnMoney[], surelyListed: Date): Promise<void> {
    const orphans: Orphan[] = [];
    for (const own of missing) {
      const isThere = await this.#isThere(own);
      if (isThere === true) this.#onlyLookedUp[kind] += 1;
      else if (isThere === undefined && !this.#isWhole) this.#unasked += 1;
      else if (isThere === false || own.at < surelyListed) orphans.push(notAtProcessor(kind, own));
    }
    await this.#add(orphans);
  }

  /** The processor's own word on one payment; undefined when it was asked often enough. */
  async #isThere({ id }: OwnMoney): Promise<boolean | undefined> {
    if (this.#lookUps >= lookUpsMax) return undefined;
    this.#lookUps += 1;
    const { processor, call } = this.#asked;
    const outcome = await this.#deps.processorCalls.make((signal) => processor.lookUp(id, { ...call, signal }));
    return outcome?.status === 'succeeded';
  }

  async #add(orphans: readonly Orphan[]): Promise<void> {
    this.#orphanCount += orphans.length;
    const listed = orphans.slice(0, listedOrphansMax - this.#orphans.length);
    this.#orphans.push(...listed.map(({ orderId: _, ...orphan }) => orphan));
    if (this.#told < toldMax) this.#told += await tellOrphans(this.#deps, this.#books, orphans);
  }
}

const isFailedRefund = ({ kind, status }: ProcessorRecord): boolean => kind === 'refund' && status === 'failed';

interface Judged {
  readonly orphans: Orphan[];
  readonly failed: FailedRefund[];
  readonly known: ComparedPayment[];
}

function judge(
  records: readonly ProcessorRecord[],
  ownOf: (record: ProcessorRecord) => ComparedPayment | undefined,
): Judged {
  const judged: Judged = { orphans: [], failed: [], known: [] };
  for (const record of records) {
    const own = ownOf(record);
    const verdict = verdictOn(record, own);
    if (verdict.kind === 'orphan') judged.orphans.push(verdict.orphan);
    // Both know it, however much they differ: what differs is told once, and as the processor's.
    if (own?.status === 'succeeded' && record.status === 'succeeded') judged.known.push(own);
    if (verdict.kind === 'refund_failed' && own !== undefined) judged.failed.push({ ...own, message: record.message });
  }
  return judged;
}
