import { readSettingsOf } from '@app/account-settings/read-settings';
import type { Settings } from '@app/contracts/accounts';
import { dayMs, minuteMs } from '@app/contracts/durations';
import { emailKey } from '@app/contracts/email-key';
import { idTimeMs } from '@app/contracts/ids';
import { type Payload, testLinks } from '@app/contracts/triggers';
import { noticeNames } from '@app/contracts/webhooks';
import type { Submission } from '@app/email/email-transport';
import { type Shop, shopOf } from '@app/email/letter';
import type { Mailer } from '@app/email/mailer';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { secondsHistogram } from '@app/service-kit/metrics';
import { inSpan } from '@app/service-kit/tracing';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { type Attempt, newAttempt } from '../deliveries/attempt.ts';
import type { Delivery, Destination } from '../deliveries/delivery.types.ts';
import type { SendResult } from '../deliveries/delivery-scheduler.ts';
import type { SendEmail } from '../deliveries/dispatcher.ts';
import type { EndReason } from '../deliveries/end-reasons.rules.ts';
import { waitAfter } from '../deliveries/schedule.rules.ts';
import { oneLine } from '../texts/activity.rules.ts';
import { type AutomationEmail, automationEmail, digestEmail, sellersAddress } from './automation-email.rules.ts';
import { type BuiltInKey, currentWords, digestedNotices, type EmailAction } from './built-in.rules.ts';
import { giveEmailBack, nextDayMs, reserveEmail } from './emails-sent.ts';
import { type BoundedRecipient, giveRecipientBack, reserveRecipient, toRecipientMax } from './emails-to-recipient.ts';
import { linksFor, orderUrlOf } from './portal-links.ts';
import { giveTurnBack, keepSent, type OtherNotice, takeTurn } from './seller-digest.ts';
import { submissionOutcomes } from './submission-outcome.ts';

export interface SendEmailDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes the links of an email, at the gateway. */
  readonly requester: Requester;
  /** Undefined without a mail server: what waits from a time with one is tried again, for as long as the schedule goes. */
  readonly mailer: Mailer | undefined;
  /** As in `AutomationDeps`. */
  readonly publicUrl: string;
  /** How many emails the automations of one account may send in a UTC day; notices about endpoints and keys may be a few more. */
  readonly emailsPerDay: number;
  /** The same of all accounts together; 0 for no bound. */
  readonly allEmailsPerDay: number;
}

/** A test and a receipt that is sent again have no number in the account's log, nor has a notice; their recipient is stored instead of the buyer. */
const emailStatement = statement<EmailRow>(
  'automation-email',
  `select e.action, e.built_in, v.email, v.product_id, v.sequence is null as requested, exists (
     select from events o where o.account_id = $1 and o.order_id = v.order_id and o.charged) as charged
   from endpoints e left join events v on v.account_id = $1 and v.id = $3
   where e.account_id = $1 and e.id = $2`,
  { action: 'jsonb', built_in: 'text', email: 'text', product_id: 'text', requested: 'bool', charged: 'bool' },
);
interface EmailRow {
  readonly action: EmailAction;
  /** Null for an automation of the seller's own. */
  readonly built_in: BuiltInKey | null;
  readonly email: string | null;
  /** What the event is about; null where it is of no product. */
  readonly product_id: string | null;
  readonly requested: boolean;
  /** A processor that moves money took some for the order that the event is about, or of whose subscription. */
  readonly charged: boolean;
}

/**
 * Returns the function that hands the email of a delivery over once. It never rejects: an error is the outcome of the
 * attempt. The delivery's id becomes the Message-ID: a process that dies between the submission and the record leaves a
 * delivery that is sent again, and mail programs may know the second one by it.
 */
export function createSendEmail(deps: SendEmailDeps): SendEmail {
  const duration = secondsHistogram('webhook-dispatcher', {
    name: 'automation.email.duration',
    description: 'Of emails of automations that this replica submitted, by outcome.',
  });
  return async (delivery, to) => {
    const startedMs = performance.now();
    const attributes = { 'webhook.id': delivery.eventId, 'account.id': delivery.accountId };
    const settings = { service: 'webhook-dispatcher', kind: SpanKind.CLIENT, attributes, parent: delivery.traceparent };
    const result = await inSpan('send email', settings, async (span) => {
      const found = await send(deps, delivery, to);
      const { outcome } = found.submission;
      if (outcome !== 'taken') span?.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
      return found;
    });
    const { outcome } = result.submission;
    const durationMs = Math.round(performance.now() - startedMs);
    duration?.(durationMs / 1_000, { 'email.outcome': outcome });
    if ('isSkipped' in result.submission) return { attempt: null, result: 'away' };
    const attempt = attemptOf(deps.clock.nowMs(), delivery, to, { ...result, durationMs });
    return { attempt, result: result.called === undefined ? 'unsent' : sendResults[outcome] };
  };
}

/** Whether the mail server is to blame, and not this message. */
const sendResults: Readonly<Record<Submission['outcome'], SendResult>> = {
  taken: 'ok',
  refused: 'ok',
  deferred: 'ok',
  unreachable: 'away',
  unknown: 'failed',
};

interface Result {
  /** Null when it is not known. */
  readonly recipient: string | null;
  readonly submission: Submission;
  /** Whether the mail server was called: what we find ourselves needs no diagnosis beside its words. */
  readonly called?: true;
  /** The account has sent its emails of the day: this one waits until then, and no attempt counts. */
  readonly postponedUntilMs?: number;
  /** Why it is given up, where that is not what the mail server said. */
  readonly reasonCode?: EndReason;
}

async function send(deps: SendEmailDeps, delivery: Delivery, to: Destination): Promise<Result> {
  const { database, clock, logger, mailer } = deps;
  const { accountId } = delivery;
  try {
    const [{ rows }, seller] = await Promise.all([
      database.pool.query(emailStatement([accountId, to.endpointId, delivery.eventId])),
      readSettingsOf(database.pool, accountId),
    ]);
    const [stored] = rows;
    if (stored === undefined) return { recipient: null, submission: deferred('the automation was deleted') };
    const requested = stored.requested && !isNotice(delivery);
    const row = { ...stored, requested, action: currentWords(stored.built_in, stored.action) };
    const payload = JSON.parse(delivery.body) as Payload;
    const recipient = recipientOf(row, delivery, seller);
    // What is stored of the event never changes; the seller's address may be set later.
    if (!recipient && row.action.to === 'buyer' && !delivery.test)
      return { recipient: null, submission: noAddress, reasonCode: 'no_address' };
    if (!recipient || !seller.supportEmail)
      return { recipient: null, submission: deferred('the address is not known yet') };
    if (!seller.emailVerified) return whileUnverified(delivery, row, recipient, clock.nowMs());
    if (mailer === undefined) return { recipient, submission: deferred('this deployment has no mail server') };
    const now = clock.now();
    const links =
      row.requested && delivery.test
        ? testLinks
        : await linksFor(deps, delivery, { ...row, handle: seller.handle }, payload);
    if (links === null) return { recipient, submission: deferred('the links of the email could not be made') };
    return await submit(deps, mailer, { delivery, row, recipient, seller, values: { ...payload, ...links }, now });
  } catch (err) {
    logger.warn({ err, accountId, deliveryId: delivery.id }, 'an email could not be made');
    return { recipient: null, submission: deferred('the email could not be made') };
  }
}

interface Made {
  readonly delivery: Delivery;
  readonly row: EmailRow;
  readonly recipient: string;
  readonly seller: Settings;
  /** Of the template: the payload, and the links of this email. */
  readonly values: Payload;
  readonly now: Date;
}

/** Hands it over when it is its turn, and within the bounds. */
async function submit(deps: SendEmailDeps, mailer: Mailer, made: Made): Promise<Result> {
  const { database, logger } = deps;
  const { delivery, row, recipient, seller, values, now } = made;
  const { accountId } = delivery;
  // What the seller sends again goes out by itself.
  const isFirst = delivery.attemptsBeforeSchedule === 0 && !row.requested && !delivery.test;
  const isDigested = isFirst && row.built_in !== null && digestedNotices.has(row.built_in);
  const turn = isDigested
    ? await takeTurn(database, { accountId, deliveryId: delivery.id, now })
    : ({ kind: 'now', others: [] } as const);
  if (turn.kind === 'sent') return { recipient, submission: { outcome: 'taken' } };
  if (turn.kind === 'later') return { recipient, submission: deferred(oneAnHour), postponedUntilMs: turn.untilMs };
  const bounded = boundedRecipient(seller, delivery, row, recipient);
  const detail = await overBound(deps, delivery, now, bounded);
  if (detail !== null) {
    if (isDigested) await giveTurnBack(database, accountId, now);
    return { recipient, submission: deferred(detail), postponedUntilMs: nextDayMs(now) };
  }
  const shop = shopOfSeller(deps, seller);
  const email = automationEmail(row.action, values, shop, delivery.test);
  const submission = await mailer.send({
    id: delivery.id,
    fromName: seller.businessName,
    to: recipient,
    replyTo: seller.supportEmail,
    ...withOthers(email, turn.others, shop, deps.publicUrl),
    headers: { 'Auto-Submitted': 'auto-generated' },
    date: now,
  });
  await giveBackUnsent(deps, accountId, now, submission, bounded);
  if (isDigested) await endTurn(deps, accountId, now, submission, turn.others);
  if (submission.outcome !== 'taken' && submission.cause !== undefined)
    logger.warn({ accountId, deliveryId: delivery.id, cause: submission.cause }, 'email not sent');
  return { recipient, submission, called: true };
}

const oneAnHour = 'notices go out in one email an hour at most; it is in the next one';

function withOthers(
  email: AutomationEmail,
  others: readonly OtherNotice[],
  shop: Shop,
  publicUrl: string,
): AutomationEmail {
  if (others.length === 0) return email;
  const emails = others.map((other) => {
    const payload = JSON.parse(other.body) as Payload;
    const values = { ...payload, orderUrl: orderUrlOf(publicUrl, payload) };
    return automationEmail(wordsOf(other), values, shop, false);
  });
  return digestEmail([email, ...emails], shop);
}

const wordsOf = ({ built_in, action }: OtherNotice): EmailAction => currentWords(built_in, action);

/** What it cannot write is no reason to send the email again: the others go out once more. */
async function endTurn(
  { database, logger }: SendEmailDeps,
  accountId: string,
  now: Date,
  { outcome }: Submission,
  others: readonly OtherNotice[],
): Promise<void> {
  const isOver = outcome === 'taken' || outcome === 'unknown';
  const ended = isOver ? keepSent(database, accountId, others) : giveTurnBack(database, accountId, now);
  await ended.catch((err: unknown) => logger.warn({ err, accountId }, 'the turn of an email of notices did not end'));
}

const shopOfSeller = ({ publicUrl }: SendEmailDeps, settings: Settings): Shop =>
  shopOf(settings, { name: settings.businessName, supportEmail: settings.supportEmail }, publicUrl);

/** Counts the email. @returns why it waits for the next day; null when it may go out now */
async function overBound(
  { database, emailsPerDay, allEmailsPerDay }: SendEmailDeps,
  delivery: Delivery,
  now: Date,
  to: BoundedRecipient | null,
): Promise<string | null> {
  const bounds = { ofAccount: emailsPerDay + (isNotice(delivery) ? noticesBeyondLimit : 0), ofAll: allEmailsPerDay };
  if (to !== null && !(await reserveRecipient(database, to, now)))
    return `an address gets ${toRecipientMax} emails of one kind a day at most; the others go out later`;
  const exceeded = await reserveEmail(database, delivery.accountId, now, bounds);
  if (exceeded !== null && to !== null) await giveRecipientBack(database, to, now);
  switch (exceeded) {
    case 'account':
      return `the automations of an account send ${emailsPerDay} emails a day at most; the others go out later`;
    case 'all':
      return `this deployment sends ${allEmailsPerDay} emails of automations a day at most; the others go out later`;
    default:
      return null;
  }
}

/**
 * Rehearsals and test sends go to the seller's own address alone: their buyers are invented, and anyone's address may be set
 * as the one for support. Accounts whose settings are older than this have that one alone.
 */
function recipientOf({ requested, email, action }: EmailRow, { test }: Delivery, seller: Settings): string | null {
  if (test) return seller.email || seller.supportEmail;
  return (requested ? email : null) ?? (action.to === 'buyer' ? email : sellersAddress(seller));
}

/** A receipt that comes later surprises its buyer more than it helps. */
const heldUntilVerifiedMs = 3 * dayMs;
const firstPauseMs = 10 * minuteMs;

/**
 * An account whose address is not verified writes nothing of its own to anyone: its own address may be a stranger's too. What it would
 * have sent waits, as long again as it has waited so far, and is given up after three days.
 */
function whileUnverified(delivery: Delivery, { requested }: EmailRow, recipient: string, nowMs: number): Result {
  const waitedMs = nowMs - idTimeMs(delivery.id);
  if (requested || waitedMs >= heldUntilVerifiedMs)
    return { recipient, submission: unverified('refused'), reasonCode: 'unverified' };
  const untilMs = nowMs + Math.max(firstPauseMs, waitedMs);
  return { recipient, submission: unverified('deferred'), postponedUntilMs: untilMs };
}

const unverified = (outcome: 'refused' | 'deferred'): Submission => ({
  outcome,
  detail:
    outcome === 'refused'
      ? 'not sent: the account’s email address is not verified'
      : 'it waits until the account’s email address is verified, for three days at most',
});

/** Of an order for which money was taken: each follows a charge, or an attempt at one. What the seller sends once more does not. */
const unboundedIfCharged: ReadonlySet<BuiltInKey> = new Set([
  'receipt',
  'renewal_receipt',
  'payment_failed_notice',
  'cancellation_notice',
]);

/**
 * Whom the email counts for; null where no bound keeps it back: the account's own address, and some letters of orders for which
 * money was taken. An order that is free, simulated, or recorded by the seller's own code, costs nobody anything: a stranger would get
 * as many of its letters as the seller likes, and as many of a subscription as the seller pauses it.
 */
function boundedRecipient(
  { email }: Settings,
  { accountId, eventName, attemptsBeforeSchedule }: Delivery,
  { built_in, charged, requested }: EmailRow,
  recipient: string,
): BoundedRecipient | null {
  const key = emailKey(recipient);
  const isFirst = attemptsBeforeSchedule === 0 && !requested;
  const isUnbounded = charged && isFirst && built_in !== null && unboundedIfCharged.has(built_in);
  if (isUnbounded || key === emailKey(email)) return null;
  return { accountId, kind: built_in ?? eventName, recipient: key };
}

/**
 * That an endpoint is off, or a key refused, shall not wait a day for the receipts of what goes well. The number is bounded all the same,
 * because an endpoint may be switched off as often as it is switched on.
 */
const noticesBeyondLimit = 50;
const isNotice = ({ eventName, test }: Delivery): boolean => !test && noticeNames.some((name) => name === eventName);

const noAddress: Submission = { outcome: 'refused', detail: 'the event has no address of a buyer' };
const deferred = (detail: string): Submission => ({ outcome: 'deferred', detail });

async function giveBackUnsent(
  { database, logger }: SendEmailDeps,
  accountId: string,
  reservedAt: Date,
  { outcome }: Submission,
  to: BoundedRecipient | null,
): Promise<void> {
  if (outcome === 'taken' || outcome === 'unknown') return;
  if (to !== null) await giveRecipientBack(database, to, reservedAt).catch(() => undefined);
  await giveEmailBack(database, accountId, reservedAt).catch((err: unknown) =>
    logger.warn({ err, accountId }, 'an email that was not sent stays counted'),
  );
}

function attemptOf(
  nowMs: number,
  delivery: Delivery,
  { endpointId }: Destination,
  {
    recipient,
    submission,
    postponedUntilMs,
    reasonCode: ownReasonCode,
    called,
    durationMs,
  }: Result & { durationMs: number },
): Attempt {
  const { delivered, reasonCode, diagnosis } = submissionOutcomes[submission.outcome];
  const number = postponedUntilMs === undefined ? delivery.attemptNumber : delivery.attemptNumber - 1;
  const isOver = delivered || reasonCode !== null;
  const waitMs =
    postponedUntilMs === undefined
      ? isOver
        ? null
        : waitAfter(delivery.attemptNumber - delivery.attemptsBeforeSchedule, Math.random(), null)
      : postponedUntilMs - nowMs;
  return newAttempt(nowMs, delivery, {
    endpoint_id: endpointId,
    number,
    delivered,
    waitMs,
    url: recipient === null ? null : `mailto:${recipient}`,
    reason_if_ended: isOver || waitMs !== null ? (ownReasonCode ?? reasonCode) : 'attempts_used',
    status_code: null,
    duration_ms: durationMs,
    dns_ms: null,
    connect_ms: null,
    tls_ms: null,
    first_byte_ms: null,
    error: errorOf(submission),
    diagnosis: called ? diagnosis : null,
    diagnosis_detail: called ? errorOf(submission) : null,
    response: null,
  });
}

/** In plain words, one line. */
function errorOf(submission: Submission): string | null {
  if (submission.outcome === 'taken') return null;
  const text = oneLine(submission.detail).slice(0, 300);
  return submission.outcome === 'unknown' ? `it may have been sent: ${text}` : text;
}
