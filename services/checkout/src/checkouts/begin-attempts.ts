import { hash } from 'node:crypto';
import { hourMs } from '@app/contracts/durations';
import { emailKey } from '@app/contracts/email-key';
import { newId } from '@app/contracts/ids';
import type { Client, Database } from '@app/service-kit/database';
import { pipelined } from '@app/service-kit/pipelined';
import { claimUses } from '../discounts/claim-uses.ts';
import {
  beginningWrites,
  buyersLock,
  checkoutsLock,
  earlierPurchasesQuery,
  findGivenUp,
  modesQuery,
  type PayingBuyer,
} from './attempt-statements.ts';
import {
  type AttemptRefusal,
  type Beginning,
  beginningOf,
  type DueAttempt,
  decideAttempt,
  type FoundOfAttempt,
  mayTakeNewOrderId,
  type NewAttempt,
  type RecognizedAttempt,
} from './begin-attempts.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';

/** The checkout as it is then, or why the attempt did not begin. `used up`: its discount was. */
export type BegunAttempt = CheckoutRow | AttemptRefusal | 'used up';

/**
 * Begins attempts: one transaction fixes their sales, claims the discounts' uses and moves the checkouts on. Of two attempts of
 * one checkout the first one begins.
 */
export async function beginAttempts(database: Database, attempts: readonly NewAttempt[]): Promise<BegunAttempt[]> {
  const firsts = new Map(attempts.toReversed().map((attempt) => [attempt.row.id, attempt]));
  const isFirst = (attempt: NewAttempt): boolean => firsts.get(attempt.row.id) === attempt;
  const begun = new Map<string, BegunAttempt>();
  for (const round of roundsOf(attempts.filter(isFirst))) {
    const { results } = await database.transaction(
      (client) => decideRound(client, round),
      ({ beginnings }) => beginningWrites(beginnings),
    );
    for (const [id, result] of results) begun.set(id, result);
  }
  return attempts.map((attempt) => (isFirst(attempt) && begun.get(attempt.row.id)) || 'stale');
}

/**
 * Attempts do not see what begins in the same transaction: of attempts of one buyer for one product each goes in a transaction of
 * its own. Nearly always there is one.
 */
function roundsOf(attempts: readonly NewAttempt[]): RecognizedAttempt[][] {
  const rounds: RecognizedAttempt[][] = [];
  const seen = new Map<string, number>();
  for (const attempt of attempts) {
    const { account_id, product_id, id, test } = attempt.row;
    const key = `${account_id} ${product_id} ${test ? id : emailKey(attempt.sale.email)}`;
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    const group = rounds[round];
    const recognized = { ...attempt, digests: digestsOf(attempt) };
    if (group === undefined) rounds.push([recognized]);
    else group.push(recognized);
  }
  return rounds;
}

interface DecidedRound {
  readonly results: ReadonlyMap<string, BegunAttempt>;
  readonly beginnings: readonly Beginning[];
}

/** Locks and reads, and decides. Locks are taken in the order of all transactions: buyers, checkouts, discounts. */
async function decideRound(client: Client, round: readonly RecognizedAttempt[]): Promise<DecidedRound> {
  const findOf = await findOfAttempts(client, round);
  const results = new Map<string, BegunAttempt>();
  const due: DueAttempt[] = [];
  for (const attempt of round) {
    const found = findOf(attempt);
    const decision = decideAttempt(attempt, found);
    results.set(attempt.row.id, typeof decision === 'string' ? decision : 'used up');
    if (typeof decision !== 'string') due.push(decision);
  }
  const beginnings = await beginningsOf(client, await withUses(client, due));
  for (const { row } of beginnings) results.set(row.id, row);
  return { results, beginnings };
}

async function findOfAttempts(
  client: Client,
  round: readonly RecognizedAttempt[],
): Promise<(attempt: NewAttempt) => FoundOfAttempt> {
  const buyers = round.flatMap(buyerOf);
  const rows = round.map(({ row }) => row);
  const [, checkouts, modes, earlier] = await pipelined(client, [
    buyersLock(buyers),
    checkoutsLock(rows),
    modesQuery(rows.map(({ account_id }) => account_id)),
    earlierPurchasesQuery(buyers),
  ]);
  const checkoutOf = new Map(checkouts.rows.map((row) => [row.id, row]));
  const modeOf = new Map(modes.rows.map((row) => [row.account_id, row]));
  const earlierOf = new Map(earlier.rows.map((row) => [row.id, row]));
  return ({ row: { id, account_id } }) => ({
    checkout: checkoutOf.get(id),
    mode: modeOf.get(account_id),
    earlier: earlierOf.get(id),
  });
}

/** A purchase counts as repeated for so long. */
const repeatMs = hourMs;

/** Rehearsals charge no card: they repeat nothing and are repeated by nothing. */
function buyerOf(attempt: RecognizedAttempt): PayingBuyer[] {
  const { id, account_id, product_id, test } = attempt.row;
  const since = new Date(attempt.nowMs - repeatMs);
  const email_key = emailKey(attempt.sale.email);
  return test ? [] : [{ id, account_id, product_id, email_key, digests: attempt.digests, since }];
}

/** The account's own, so that no buyer is recognised from one seller to another. */
const digestsOf = ({ row, buyer }: NewAttempt): string[] =>
  buyer.digests.map((digest) => hash('sha256', `${row.account_id} ${digest}`, 'base64url').slice(0, 22));

/** Those that need no use of a discount, or get one. */
async function withUses(client: Client, due: readonly DueAttempt[]): Promise<DueAttempt[]> {
  const claims = due.flatMap(({ attempt: { row, claim }, checkout: { test } }) =>
    claim === null
      ? []
      : [{ id: row.id, accountId: row.account_id, discountId: claim.id, maxUses: claim.maxUses, test }],
  );
  const granted = await claimUses(client, claims);
  return due.filter(({ attempt: { row, claim } }) => claim === null || granted.has(row.id));
}

async function beginningsOf(client: Client, due: readonly DueAttempt[]): Promise<Beginning[]> {
  const late = due.filter(({ attempt }) => mayTakeNewOrderId(attempt)).map(({ attempt }) => attempt.row);
  const givenUp = late.length === 0 ? undefined : await findGivenUp(client, late);
  return due.map((one) => {
    const { row, nowMs } = one.attempt;
    return beginningOf(one, { newOrderId: newId('order', nowMs), gaveUp: givenUp?.has(row.id) ?? false });
  });
}
