import { dayMs } from '@app/contracts/durations';
import { isOutage } from '@app/service-kit/outages';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { recordDispute } from '../../disputes/record-dispute.ts';
import { factOf } from '../../ledger/facts.rules.ts';
import { keepUnfollowed, writeFacts } from '../../ledger/write-facts.ts';
import { eachPage } from '../../processors/each-page.ts';
import { NothingDoneError, type ProcessorDispute, type ProcessorRecord } from '../../processors/port.ts';
import { actOn } from './act-on-fact.ts';
import type { ListedFact, UnexplainedFact } from './books.rules.ts';
import type { Listed, Reading } from './reading.ts';
import { unexplainedFacts, unfollowedFacts } from './unexplained-facts.ts';

/** How long the processor may take for a page of its own, however many there are. */
const pageLimitMs = 5 * 60_000;
/** How much of a list is requested at once: its deadline begins anew with each. */
const portionMs = dayMs;

interface Read {
  /** Excluded. */
  readonly endMs: number;
  readonly isClosing: () => boolean;
  /** Whether what the list shows is kept although a payment explains it: what we recorded is compared with it. */
  readonly keepsExplained: boolean;
  /** Called with each page, once its facts are kept and followed. */
  readonly onPage?: (page: readonly ProcessorRecord[]) => Promise<void>;
  /** Called with each dispute of it, and whether it is recorded: one of a charge that is not known here is not. */
  readonly onDispute?: (dispute: ProcessorDispute, isRecorded: boolean) => void;
}

/** A fact that could not be followed, as where its payment cannot be looked up. */
export interface NotFollowed {
  readonly fact: ListedFact;
  readonly orderId: string;
}

/** What came of a reading. */
export interface ListRead {
  /** What could not be followed, oldest first. */
  readonly notFollowed: readonly NotFollowed[];
  /** The position in the ledger after which the first facts stand that nothing explained when they were kept; null where all were explained. */
  readonly unexplainedAfter: number | null;
}

/** So many are no single facts: the processor does not answer, or everything that the account does fails. */
const notFollowedMax = 100;

/**
 * Reads a processor's list into the ledger, page by page: facts are kept first, then what follows from those that nothing here explains is
 * done, so a process that dies in between leaves facts that the next reading finds unexplained still. Disputes are recorded, and let
 * charges wait. Others may take any amount of money through the same account there: that makes a reading slow, and ends none, because the deadline begins
 * anew with each page that the processor gives, and with each fact that is followed. A fact that cannot be followed keeps no other from it: it is
 * kept before its day counts as read, and each later reading tries it first, however long ago its day is. Until then its order is not to be charged.
 * @throws NotInTimeError where a single page or fact takes longer; what the fact of no known order threw, or one more than `notFollowedMax`
 */
export async function readList(deps: PaymentDeps, listed: Listed, reading: Reading, read: Read): Promise<ListRead> {
  const { processor, call } = listed;
  const { isClosing, endMs, keepsExplained, onPage = async () => undefined } = read;
  const notFollowed: NotFollowed[] = [];
  let position = 0;
  let unexplainedAfter: number | null = null;
  const follow = async (unexplained: UnexplainedFact): Promise<void> => {
    try {
      await actOn(deps, listed, unexplained);
    } catch (err) {
      const { fact, own } = unexplained;
      if (notFollowed.some((one) => isSameFact(one.fact, fact))) return;
      const orderId = own?.orderId ?? fact.orderId;
      if (orderId === null || notFollowed.length === notFollowedMax) throw err;
      if (isClosing() || isOutage(err) || isKeyRefused(err)) throw err;
      await keepUnfollowed(deps.database, reading, fact, { readAt: reading.at, now: deps.clock.now() });
      notFollowed.push({ fact, orderId });
      const about = { accountId: call.accountId, orderId, reference: fact.reference };
      deps.logger.warn({ err, ...about }, 'what a processor shows could not be followed; the next run tries again');
    }
  };
  const followAll = async (
    pages: AsyncIterable<readonly UnexplainedFact[]>,
    goesOn: () => void,
    onPage = (): void => undefined,
  ): Promise<void> => {
    for await (const unexplained of pages) {
      onPage();
      for (const one of unexplained) {
        await follow(one);
        goesOn();
      }
    }
  };
  const take = async (page: readonly ProcessorRecord[], goesOn: () => void): Promise<void> => {
    const facts = page.flatMap((record) => factOf(record) ?? []);
    await writeFacts(deps.database, reading, facts, { by: 'list', at: reading.at }, keepsExplained);
    const passed = (last: number): void => {
      position = last;
    };
    const pages = unexplainedFacts(deps.database, reading, { after: position, passed });
    await followAll(pages, goesOn, () => {
      unexplainedAfter ??= position;
    });
    await recordDisputes(deps, reading, page, read);
    await onPage(page);
  };
  const limit = { limitMs: pageLimitMs };
  const before = unfollowedFacts(deps.database, reading);
  await deps.processorCalls.make((_, __, goesOn) => followAll(before, goesOn), limit);
  for (let startMs = reading.from.getTime(); startMs < endMs && !isClosing(); startMs += portionMs) {
    const [from, to] = [new Date(startMs), new Date(Math.min(startMs + portionMs, endMs))];
    await deps.processorCalls.make(async (signal, _, goesOn) => {
      const list = processor.list(from, to, { ...call, signal, onProgress: goesOn });
      await eachPage(
        list,
        () => isClosing() || signal.aborted,
        async (page) => {
          await take(page, goesOn);
          goesOn();
        },
      );
    }, limit);
  }
  return { notFollowed, unexplainedAfter };
}

const isSameFact = (one: ListedFact, other: ListedFact): boolean =>
  one.reference === other.reference && one.kind === other.kind && one.status === other.status;

/** Nothing more is read with it. */
const isKeyRefused = (err: unknown): boolean => err instanceof NothingDoneError && err.why === 'key_refused';

async function recordDisputes(
  deps: PaymentDeps,
  reading: Reading,
  page: readonly ProcessorRecord[],
  { onDispute }: Pick<Read, 'onDispute'>,
): Promise<void> {
  for (const { dispute } of page) {
    if (dispute === undefined) continue;
    const isRecorded = await recordDispute(deps, reading, dispute);
    onDispute?.(dispute, isRecorded);
  }
}
