import { isId } from '@app/contracts/ids';
import { lookUpDeclined } from '../../charging/given-up-attempts.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { recordDispute } from '../../disputes/record-dispute.ts';
import type { ProcessorRecord } from '../../processors/port.ts';
import { recordFoundRefund } from '../../refunds/record-found-refund.ts';
import { ownPaymentsOf } from './own-payments.ts';
import { type Listed, recordFoundRenewal } from './record-found-renewal.ts';
import { storeUnmatched } from './unmatched-payments.ts';

/**
 * Of what moved money or holds it, or charges a card once its buyer confirms it; a release ends what is listed itself, a dispute is
 * recorded of its charge, and a card that is saved moves none.
 */
const isOurs = ({ paymentId, status, kind }: ProcessorRecord): boolean =>
  paymentId !== null &&
  isId('payment', paymentId) &&
  (status === 'succeeded' || (status === 'requires_action' && kind === 'charge')) &&
  !otherKinds.has(kind);
const otherKinds = new Set<ProcessorRecord['kind']>(['release', 'method', 'dispute']);

const isOfSeller = ({ kind, paymentId, status }: ProcessorRecord): boolean =>
  kind === 'refund' && paymentId === null && status === 'succeeded';

/**
 * Of a page of the processor's list: records disputes, which let charges wait, refunds that the seller made there, payments that
 * succeeded after they were declined here, and renewals and refunds of ours that this database lacks, and keeps these and other
 * payments of ours that it cannot explain: they stop the charging of the account until the seller confirms.
 */
export async function matchPage(deps: PaymentDeps, listed: Listed, page: readonly ProcessorRecord[]): Promise<void> {
  if (listed.processor.findsMadeRefunds) {
    const at = { accountId: listed.call.accountId, processor: listed.processor.name };
    for (const record of page.filter(isOfSeller)) await recordFoundRefund(deps, at, record);
  }
  const { accountId, test } = listed.call;
  const scope = { accountId, processor: listed.processor.name, test };
  for (const { dispute } of page) if (dispute !== undefined) await recordDispute(deps, scope, dispute);
  const records = page.filter(isOurs);
  if (records.length === 0) return;
  const books = { accountId: listed.call.accountId, processor: listed.processor.name, test: false };
  const ownOf = await ownPaymentsOf(deps.database, books, records);
  const lost = records.filter((record) => ownOf(record) === undefined);
  // What waits has taken nothing: a sale that is none of a subscription's keeps nothing else from being charged.
  const unmatched = lost.filter(({ status }) => status === 'succeeded');
  // Before any of them is recorded: what is recorded here is known to the next run, also where this process dies in between.
  await storeUnmatched(deps.database, books, unmatched, deps.clock.now());
  for (const record of records) {
    const own = ownOf(record);
    if (own === undefined) await recordLost(deps, listed, record);
    else if (own.status === 'declined' && record.status === 'succeeded') await lookUpDeclined(deps, own);
  }
}

/** What follows from a subscription or a charge here is recorded as it happened; the seller confirms it all the same. */
async function recordLost(deps: PaymentDeps, listed: Listed, record: ProcessorRecord): Promise<void> {
  const at = { accountId: listed.call.accountId, processor: listed.processor.name };
  if (record.kind === 'refund') await recordFoundRefund(deps, at, record);
  else await recordFoundRenewal(deps, listed, record);
}
