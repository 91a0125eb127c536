import type { ProcessorRecord } from './port.ts';

/** A few hundred bytes each. */
const pageRecords = 1_000;

/** Reads a processor's list a thousand records at a time; a service that closes leaves the rest. No page is empty. */
export async function eachPage(
  records: AsyncIterable<ProcessorRecord>,
  isClosing: () => boolean,
  take: (page: readonly ProcessorRecord[]) => Promise<void>,
): Promise<void> {
  let page: ProcessorRecord[] = [];
  for await (const record of records) {
    if (isClosing()) return;
    page.push(record);
    if (page.length < pageRecords) continue;
    await take(page);
    page = [];
  }
  if (page.length > 0) await take(page);
}
