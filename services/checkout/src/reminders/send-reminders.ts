import type { Settings } from '@app/contracts/accounts';
import { dayMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { shopOf } from '@app/email/letter';
import type { Mailer } from '@app/email/mailer';
import type { Logger } from '@app/service-kit/logger';
import type { Semaphore } from '@app/service-kit/semaphore';
import type { PricedSale } from '../checkouts/checkout.rules.ts';
import type { CheckoutDeps } from '../checkouts/checkout-deps.ts';
import { priceOpen } from '../checkouts/get-checkout.ts';
import { hashOf, newSecret } from '../checkouts/secret.ts';
import { reminderRecorded } from '../points/points.ts';
import {
  beginReminder,
  claimReminders,
  countLater,
  endClaims,
  endFailed,
  endSent,
  type NewReminder,
  releaseReminders,
  remindersSentTo,
  roomForReminders,
} from './claim-reminders.ts';
import { type Stalled, stalledPages } from './find-stalled.ts';
import {
  checkoutLink,
  onlyRecipient,
  optOutLink,
  type ReminderBounds,
  refusesAll,
  type StalledBounds,
  stalledBounds,
  withinBuyersDay,
} from './reminder.rules.ts';
import { reminderText } from './reminder-message.rules.ts';

export interface ReminderDeps extends CheckoutDeps {
  readonly mailer: Mailer;
  readonly logger: Logger;
  /** This deployment's address for links, without a slash at its end. */
  readonly publicUrl: string;
  readonly bounds: ReminderBounds;
  /** Whether the process closes: a run ends early then. */
  readonly isClosing: () => boolean;
  /** Lets few accounts submit at once: at a slow mail server the submissions of many runs would add up. */
  readonly sending: Semaphore;
}

/** What became of an account's reminders in one run. */
export interface SentReminders {
  sent: number;
  failed: number;
  /** Whether some are left for the next run. */
  left: boolean;
  /** What the mail server said to the first one that failed. */
  detail: string;
  /** The checkout of the first one that did not go out. */
  aboutCheckoutId: string | null;
  /** Whether the account, or all together, have sent as many as they may in a day. */
  capped: boolean;
  /** How many wait until the account's email address is verified. */
  unverified: number;
  /** How many the mail server refused for good, now and for the first time. */
  refused: number;
  refusedFirst: number;
  /** What it said to the first one of them. */
  refusal: string;
}

/** As many as one question to catalog has the products of. */
const pageSize = 50;
/** Of one account: it leaves room for others. */
const atOnce = 4;
/** Of one account: a slow mail server must not hold up the accounts behind it. The next run goes on. */
const runMs = 10 * 60_000;

const nothingSent = (): SentReminders => ({
  sent: 0,
  failed: 0,
  left: false,
  detail: '',
  aboutCheckoutId: null,
  capped: false,
  unverified: 0,
  refused: 0,
  refusedFirst: 0,
  refusal: '',
});

/** Submits an account's reminders, which a run begins and may not wait for. */
export interface Submitting {
  /** When it is over: what became of the reminders since the run left it, or of all. */
  readonly ended: Promise<SentReminders>;
  /** The run has its result now. What became of the reminders so far; what goes out from here on, the next run counts. */
  leave(): SentReminders;
}

/** Begins to remind every buyer of the account whose checkout has stalled, page by page; each is considered once. */
export function startSending(deps: ReminderDeps, accountId: string, settings: Settings): Submitting {
  const run: Run = { accountId, settings, endsAtMs: performance.now() + runMs, isApart: false, result: nothingSent() };
  return {
    ended: deps.sending.run(() => sendPages(deps, run)),
    leave: () => {
      const soFar = run.result;
      run.result = { ...nothingSent(), left: soFar.left, capped: soFar.capped };
      run.isApart = true;
      return soFar;
    },
  };
}

async function sendPages(deps: ReminderDeps, run: Run): Promise<SentReminders> {
  const { accountId, settings } = run;
  run.result.left = deps.isClosing() || performance.now() > run.endsAtMs;
  if (run.result.left) return run.result;
  await endClaims(deps.database, accountId, deps.clock.now());
  const boundsOf = () => stalledBounds(deps.clock.nowMs(), settings.nudgeAfterMinutes);
  const only = onlyRecipient(settings);
  for await (const page of stalledPages(deps.database, accountId, boundsOf, pageSize)) {
    const allowed = page.filter(({ buyer }) => only === null || buyer === only);
    const others = page.filter((row) => !allowed.includes(row));
    run.result.unverified += others.length;
    run.result.aboutCheckoutId ??= others[0]?.id ?? null;
    // What cannot be bought any more takes no slot under the ceiling: as long as it is stalled it would take the same again.
    const since = new Date(deps.clock.nowMs() - dayMs);
    const buyable = (await Promise.all(allowed.map((row) => prepare(deps, row)))).filter((one) => one !== null);
    const buyers = [...new Set(buyable.map(({ buyer }) => buyer))];
    const prepared = withinBuyersDay(buyable, await remindersSentTo(deps.database, accountId, buyers, since));
    // Another run may have begun after this one was no longer waited for.
    const room = await roomForReminders(deps.database, accountId, deps.bounds, since);
    run.result.capped = prepared.length > room;
    if (run.result.capped) run.result.aboutCheckoutId ??= prepared[room]?.checkout_id ?? null;
    await sendPage(deps, run, boundsOf(), prepared.slice(0, room));
    if (run.result.left || run.result.capped) break;
  }
  return run.result;
}

/** With what the mail server has against the sender, if it refuses everybody. */
export const withRefusals = (result: SentReminders): SentReminders =>
  refusesAll(result) ? { ...result, failed: result.failed + result.refused, detail: result.refusal } : result;

interface Run {
  readonly accountId: string;
  readonly settings: Settings;
  readonly endsAtMs: number;
  /** Whether the run that began it has its result. */
  isApart: boolean;
  /** Replaced when the run leaves it. */
  result: SentReminders;
}

/** A reminder with the tokens of its links, which are in the email and nowhere else. */
interface Prepared extends NewReminder {
  readonly row: Stalled;
  readonly sale: PricedSale;
  readonly restoreToken: string;
  readonly optOutToken: string;
}

async function sendPage(
  deps: ReminderDeps,
  run: Run,
  bounds: StalledBounds,
  prepared: readonly Prepared[],
): Promise<void> {
  const claimed = await claimReminders(deps.database, run.accountId, bounds, prepared);
  const waiting = prepared.filter(({ id }) => claimed.has(id));
  const work = async (): Promise<void> => {
    while (!run.result.left) {
      const next = waiting.pop();
      if (next === undefined) return;
      if (deps.isClosing() || performance.now() > run.endsAtMs) run.result.left = true;
      const begun = !run.result.left && (await sendOne(deps, run, next));
      if (!begun) await releaseReminders(deps.database, run.accountId, [next.id]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const rest = waiting.map(({ id }) => id);
  await releaseReminders(deps.database, run.accountId, rest);
}

/** Null when the product cannot be bought any more. */
async function prepare(deps: ReminderDeps, row: Stalled): Promise<Prepared | null> {
  const sale = await priceStalled(deps, row);
  if (sale === null) return null;
  const [restoreToken, optOutToken] = [newSecret(), newSecret()];
  return {
    id: newId('reminder', deps.clock.nowMs()),
    checkout_id: row.id,
    buyer: row.buyer,
    product_id: row.product_id,
    link_hash: hashOf(restoreToken),
    token_hash: hashOf(optOutToken),
    row,
    sale,
    restoreToken,
    optOutToken,
  };
}

/** What the checkout costs right now; null when the product cannot be bought any more. */
export async function priceStalled(deps: CheckoutDeps, row: Stalled): Promise<PricedSale | null> {
  return await priceOpen(deps, row, 'reminders').catch((err: unknown) => {
    if (err instanceof DomainError && err.code === 'no_longer_for_sale') return null;
    throw err;
  });
}

/**
 * Submits one reminder. It is `sending` before, so a process that dies meanwhile has sent it as far as is known.
 * When the server did not take it, it is `failed`: a later run tries again.
 * @returns false when the buyer has bought or opted out since the claim
 */
async function sendOne(deps: ReminderDeps, run: Run, reminder: Prepared): Promise<boolean> {
  const { database, clock } = deps;
  const { accountId } = run;
  if (!(await beginReminder(database, accountId, reminder, clock.now()))) return false;
  const submission = await deps.mailer.send(messageOf(deps, run.settings, reminder));
  if (submission.outcome === 'taken' || submission.outcome === 'unknown') {
    const detail = submission.outcome === 'unknown' ? submission.detail : null;
    await endSent(database, accountId, reminder.id, detail);
    if (run.isApart) await countLater(database, accountId, reminder.id);
    else run.result.sent += 1;
    reminderRecorded.announce(() => ({ accountId, reminderId: reminder.id, status: 'sent' }));
    return true;
  }
  const { outcome, detail, cause } = submission;
  if (cause !== undefined) deps.logger.warn({ accountId, reminderId: reminder.id, cause }, 'reminder not sent');
  const failure = { detail, isFinal: outcome === 'refused' };
  const refusals = await endFailed(database, accountId, reminder.id, failure, clock.now());
  reminderRecorded.announce(() => ({ accountId, reminderId: reminder.id, status: 'failed' }));
  const { result } = run;
  result.aboutCheckoutId ??= reminder.checkout_id;
  if (failure.isFinal) {
    result.refused += 1;
    if (refusals === 1) result.refusedFirst += 1;
    result.refusal ||= detail;
  } else {
    result.failed += 1;
    result.detail ||= detail;
  }
  if (outcome === 'unreachable') result.left = true;
  return true;
}

function messageOf({ publicUrl, clock }: ReminderDeps, settings: Settings, reminder: Prepared) {
  const { id, row, sale, restoreToken, optOutToken } = reminder;
  const { checkoutUrl, handle } = settings;
  // Before the first event about the account, the checkout knows whose it is.
  const businessName = settings.businessName || row.seller_name;
  const supportEmail = settings.supportEmail || row.support_email;
  const { name, slug, currency } = sale.product;
  const text = reminderText({
    shop: shopOf(settings, { name: businessName, supportEmail }, publicUrl),
    currency,
    buyerName: row.name,
    productName: name,
    totalCents: sale.totalCents,
    link: checkoutLink({ publicUrl, checkoutUrl, handle, slug }, restoreToken),
    optOutLink: optOutLink(publicUrl, optOutToken),
  });
  return { id, fromName: businessName, to: row.email ?? row.buyer, replyTo: supportEmail, date: clock.now(), ...text };
}
