import { dayMs } from '@app/contracts/durations';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { recordDispute } from '../../disputes/record-dispute.ts';
import { factOf } from '../../ledger/facts.rules.ts';
import { writeFacts } from '../../ledger/write-facts.ts';
import { eachPage } from '../../processors/each-page.ts';
import type { ProcessorDispute, ProcessorRecord } from '../../processors/port.ts';
import { actOn } from './act-on-fact.ts';
import type { Listed, Reading } from './reading.ts';
import { unexplainedFacts } from './unexplained-facts.ts';

/** How long the processor may take for a page of its own, however many there are. */
const pageLimitMs = 5 * 60_000;
/** What was read of a list stays read, should its process end before the rest. */
const portionMs = dayMs;

interface Read {
  /** Excluded. */
  readonly endMs: number;
  readonly isClosing: () => boolean;
  /** Called with each page, once its facts are kept and followed. */
  readonly onPage?: (page: readonly ProcessorRecord[]) => Promise<void>;
  /** Called with each dispute of it, and whether it is recorded: one of a charge that is not known here is not. */
  readonly onDispute?: (dispute: ProcessorDispute, isRecorded: boolean) => void;
  /** Called after each day, with its end. */
  readonly onPortion?: (end: Date) => Promise<void>;
}

/**
 * Reads a processor's list into the ledger, page by page: facts are kept first, then what follows from those that nothing here explains is
 * done, so a process that dies in between leaves facts that the next reading finds unexplained still. Disputes are recorded, and let
 * charges wait. Others may take any amount of money through the same account there: that makes a reading slow, and ends none, because the deadline begins
 * anew with each page that the processor gives.
 * @throws NotInTimeError where a single page takes longer
 */
export async function readList(deps: PaymentDeps, listed: Listed, reading: Reading, read: Read): Promise<void> {
  const { processor, call } = listed;
  const { isClosing, endMs, onPage = async () => undefined, onPortion = async () => undefined } = read;
  let position = 0;
  const take = async (page: readonly ProcessorRecord[]): Promise<void> => {
    const facts = page.flatMap((record) => factOf(record) ?? []);
    await writeFacts(deps.database, reading, facts, { by: 'list', at: reading.at });
    const passed = (last: number): void => {
      position = last;
    };
    for await (const unexplained of unexplainedFacts(deps.database, reading, { after: position, passed })) {
      for (const one of unexplained) await actOn(deps, listed, one);
    }
    await recordDisputes(deps, reading, page, read);
    await onPage(page);
  };
  for (let startMs = reading.from.getTime(); startMs < endMs && !isClosing(); startMs += portionMs) {
    const [from, to] = [new Date(startMs), new Date(Math.min(startMs + portionMs, endMs))];
    await deps.processorCalls.make(
      async (signal, _, goesOn) => {
        const list = processor.list(from, to, { ...call, signal, onProgress: goesOn });
        await eachPage(
          list,
          () => isClosing() || signal.aborted,
          async (page) => {
            await take(page);
            goesOn();
          },
        );
      },
      { limitMs: pageLimitMs },
    );
    if (!isClosing()) await onPortion(to);
  }
}

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
