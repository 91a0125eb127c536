import type { BooksComparison } from '@app/contracts/daily-runs';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { readRequest } from '../../charging/payment-store.ts';
import { type MoneyKind, notAtProcessor, type Orphan, type OwnMoney, orphanOf } from './books.rules.ts';
import { type ComparedTime, clocksDifferMs } from './compared-time.rules.ts';
import { notifyOrphans } from './notify-orphans.ts';
import type { ListRead } from './read-list.ts';
import type { Listed, Reading } from './reading.ts';
import { unexplainedFacts } from './unexplained-facts.ts';
import { unlistedMoney } from './unlisted-money.ts';

export const listedOrphansMax = 100;
/** More than a seller can read: what is beyond is counted, and reported by the next runs, which skip what was reported. */
const reportedMax = 1_000;
/** Payments that the list lacks are looked up one by one. Where a whole list lacks more, they count as lacking. */
const lookUpsMax = 100;

/** What a comparison found so far. */
export interface Found {
  readonly charges: number;
  readonly refunds: number;
  readonly holds: number;
  /** The first ones. */
  readonly orphans: BooksComparison['orphans'];
  readonly orphanCount: number;
  /** How many the next comparison has to read again, before their days count as explained. */
  readonly left: number;
}

interface Compared extends Pick<ComparedTime, 'isWhole'>, Pick<ListRead, 'unexplainedAfter'> {
  /** From when on each of our payments has to be in the list; a whole one begins earlier. */
  readonly from: Date;
  readonly until: Date;
}

/** Compares what a reading of a processor's list has shown with what the platform recorded, both ways, once it is in the ledger. */
export class Comparison {
  readonly #deps: PaymentDeps;
  readonly #listed: Listed;
  readonly #reading: Reading;
  readonly #equal = { charge: 0, refund: 0, hold: 0 };
  readonly #orphans: BooksComparison['orphans'] = [];
  #orphanCount = 0;
  #reported = 0;
  #lookUps = 0;
  #left = 0;

  constructor(deps: PaymentDeps, listed: Listed, reading: Reading) {
    this.#deps = deps;
    this.#listed = listed;
    this.#reading = reading;
  }

  async found(compared: Compared): Promise<Found> {
    await this.#addUnexplained(false, compared);
    for (const kind of ['charge', 'refund', 'hold'] as const) {
      for await (const { listed, unlisted } of unlistedMoney(this.#deps.database, this.#reading, kind, compared)) {
        this.#equal[kind] += listed;
        await this.#addUnlisted(kind, unlisted, compared);
      }
    }
    await this.#addUnexplained(true, compared);
    const { charge: charges, refund: refunds, hold: holds } = this.#equal;
    return {
      ...{ charges, refunds, holds, orphans: this.#orphans, orphanCount: this.#orphanCount, left: this.#left },
    };
  }

  /** What was explained when it was kept is not read again: should that have changed meanwhile, the comparisons of the next days show it. */
  async #addUnexplained(holds: boolean, { unexplainedAfter: after }: Compared): Promise<void> {
    if (after === null) return;
    for await (const page of unexplainedFacts(this.#deps.database, this.#reading, { after, holds })) {
      const orphans = page.map(orphanOf);
      this.#left += orphans.filter((orphan) => orphan === 'later').length;
      await this.#add(orphans.filter((orphan) => orphan !== undefined && orphan !== 'later'));
    }
  }

  async #addUnlisted(kind: MoneyKind, unlisted: readonly OwnMoney[], { isWhole, until }: Compared): Promise<void> {
    // The list may not have yet what was recorded since.
    const surelyListed = new Date(until.getTime() - clocksDifferMs);
    const orphans: Orphan[] = [];
    for (const own of unlisted) {
      if (own.is_over) continue;
      const isThere = await this.#isThere(own);
      if (isThere === true) this.#equal[kind] += 1;
      else if (isThere === undefined && !isWhole) this.#left += 1;
      else if (isThere === false || own.at < surelyListed) orphans.push(notAtProcessor(kind, own));
    }
    await this.#add(orphans);
  }

  /** The processor's own word on one payment; undefined after as many look-ups as a comparison may make. */
  async #isThere({ id, processorReference }: OwnMoney): Promise<boolean | undefined> {
    if (this.#lookUps >= lookUpsMax) return undefined;
    this.#lookUps += 1;
    const { processor, call } = this.#listed;
    const sent = await readRequest(this.#deps.database, call.accountId, id);
    const outcome = await this.#deps.processorCalls.make((signal) => processor.lookUp(sent, { ...call, signal }));
    return outcome?.status === 'succeeded' && outcome.reference === processorReference;
  }

  async #add(orphans: readonly Orphan[]): Promise<void> {
    this.#orphanCount += orphans.length;
    const listed = orphans.slice(0, listedOrphansMax - this.#orphans.length);
    this.#orphans.push(...listed.map(({ orderId: _, ...orphan }) => orphan));
    if (this.#reported < reportedMax) this.#reported += await notifyOrphans(this.#deps, this.#reading, orphans);
  }
}
