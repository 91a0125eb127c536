import type { DeliveryStatus } from '@app/contracts/webhook-deliveries';
import { breakerOpensAfter } from '../deliveries/capacity.rules.ts';
import type { WaitReason } from '../deliveries/delivery-scheduler.ts';
import type { EndReason } from '../deliveries/end-reasons.rules.ts';
import { heldForFailing } from '../deliveries/held-for-failing.rules.ts';
import { attemptsText } from '../texts/activity.rules.ts';

/** The endpoint of a delivery as it is now; null when it was removed. */
export interface ReasonEndpoint {
  /** An email of an automation has none. */
  readonly hasUrl: boolean;
  readonly active: boolean;
  /** A recovery is running for it. */
  readonly isRecovering: boolean;
  readonly switchedOffReason: string | null;
  readonly switchedOffAt: string | null;
  /** Since when every attempt has failed, and how many did. */
  readonly failing: { readonly since: string; readonly attempts: number } | null;
}

export interface ReasonFacts {
  readonly status: DeliveryStatus;
  /** The stored code of why it ended or is held; `reason` of the API is the sentence made of it. */
  readonly reasonCode: EndReason | typeof heldForFailing | null;
  readonly event: string;
  /** Its seller requested it as a test; an event of a test order is none. */
  readonly isTestSend: boolean;
  readonly attempts: number;
  /** When the next attempt is due; null unless it waits for one. */
  readonly nextAttemptAt: string | null;
  readonly isDue: boolean;
  readonly inRecovery: boolean;
  readonly endpoint: ReasonEndpoint | null;
  /** What it waits for, beside a slot; null for nothing. */
  readonly waitReason: WaitReason | null;
  /** How many deliveries of an account go to one host in a second. */
  readonly perSecond: number;
  /** It is sent by an automation, which may be removed by now. */
  readonly isAutomation: boolean;
  /** Why the last attempt failed; null when there was none, or when it delivered. */
  readonly lastFailure: string | null;
  /** What is wrong with the answer that it was delivered with; null when nothing is. */
  readonly warning: string | null;
}

/** Why a delivery has its status, in one line: why nothing was sent, when nothing was, or when it is tried next. */
export function reasonText(facts: ReasonFacts): string {
  switch (facts.status) {
    case 'delivered':
      return deliveredText(facts);
    case 'sending':
      return `Is being sent now: attempt ${facts.attempts + 1}.`;
    case 'pending':
      return pendingText(facts);
    case 'held':
      return `${heldText(facts)} ${facts.isTestSend ? heldTestText : 'It is held for 30 days.'}${last(facts)}`;
    case 'filtered':
      return filteredText(facts);
    case 'failed':
      return failedText(facts);
    case 'canceled':
      return canceledText(facts);
  }
}

function deliveredText({ attempts, warning }: ReasonFacts): string {
  const text = attempts <= 1 ? 'Delivered at the first attempt.' : `Delivered at attempt ${attempts}.`;
  return warning === null ? text : `${text} ${warning}`;
}

function pendingText(facts: ReasonFacts): string {
  const { attempts, nextAttemptAt, isDue, endpoint, inRecovery, waitReason, perSecond } = facts;
  if (!isDue) return `Attempt ${attempts + 1} follows at ${nextAttemptAt}.${last(facts)}`;
  if (waitReason !== null) return `${waitText(waitReason, perSecond)}${last(facts)}`;
  const failing = endpoint?.failing;
  if (failing && failing.attempts >= breakerOpensAfter)
    return `Is queued: every attempt to this endpoint has failed since ${failing.since}, so it gets one request at a time.${last(facts)}`;
  if (inRecovery) return 'Is queued after fresh events: it is part of a recovery.';
  return attempts === 0
    ? 'Waits for its first attempt, which is due.'
    : `Waits for attempt ${attempts + 1}, which is due.${last(facts)}`;
}

const waitText = (reason: WaitReason, perSecond: number): string =>
  reason === 'mail_server'
    ? 'Waits for the mail server, which could not be reached: one email at a time is attempted until it is back.'
    : `Is queued: an account sends at most ${perSecond} deliveries a second to one host and three times as many to all, and a host that has acknowledged nothing yet gets no more from all accounts together. The most urgent go first.`;

/** It may have arrived, and the receiver did not say so. */
const sent = (attempts: number): string => (attempts === 0 ? 'Not sent' : 'Sent no further');

/** What is held is sent without them (repair/skipped.ts). */
const heldTestText = 'Test sends are not sent again: when what is held is released, it is canceled.';

function heldText({ endpoint, isAutomation, attempts, reasonCode, isTestSend }: ReasonFacts): string {
  const begun = sent(attempts);
  if (endpoint === null) return `${begun}: the ${isAutomation ? 'automation' : 'endpoint'} was removed.`;
  if (isAutomation) return automationText(endpoint, attempts);
  if (endpoint.active && isTestSend) return releasedTestText(endpoint, attempts, reasonCode);
  if (!endpoint.hasUrl) return `${begun}: no URL is connected.`;
  if (endpoint.active && endpoint.isRecovering)
    return `${begun} yet: a recovery sends what was held, oldest first, and has not come to it.`;
  if (endpoint.active && reasonCode === heldForFailing) return givenUpForNowText(endpoint, attempts);
  if (endpoint.active)
    return `${begun} yet: it was held while the endpoint was off or had no URL, and waits to be released.`;
  const since = endpoint.switchedOffAt === null ? '' : ` since ${endpoint.switchedOffAt}`;
  switch (endpoint.switchedOffReason) {
    case 'gone':
      return `${begun}: the endpoint is off${since}, because it answered 410 (gone).`;
    case 'failing':
      return `${begun}: the endpoint is off${since}, because nothing was delivered for five days.`;
    default:
      return `${begun}: the endpoint is off${since}.`;
  }
}

/** Of a test send whose endpoint is on, and which waits to be canceled. */
function releasedTestText(
  { failing }: ReasonEndpoint,
  attempts: number,
  reasonCode: ReasonFacts['reasonCode'],
): string {
  if (reasonCode !== heldForFailing) return `${sent(attempts)}: it was held while the endpoint was off.`;
  const since = failing === null ? 'reached the receiver' : `has reached the receiver since ${failing.since}`;
  return `Given up after ${attemptsText(attempts)}, because nothing ${since}.`;
}

/** Without failures, a release is about to begin, or its seller has canceled it (repair/release-held.ts). */
function givenUpForNowText({ failing }: ReasonEndpoint, attempts: number): string {
  const begun = `Given up after ${attemptsText(attempts)}, because nothing`;
  return failing === null
    ? `${begun} reached the endpoint while it was tried. A recovery sends it; if you canceled that one, redeliver it or start another.`
    : `${begun} has reached the endpoint since ${failing.since}: it is sent again when the endpoint takes a delivery.`;
}

function automationText({ active }: ReasonEndpoint, attempts: number): string {
  if (attempts === 0) return active ? 'Waits to be run.' : 'Not run: the automation is off.';
  return active ? 'Waits to be run again.' : 'Run no further: the automation is off.';
}

/** The endpoint without a URL takes all events but pushed emails (destinations/url-kind.rules.ts), and cannot be redelivered to. */
function filteredText({ event, endpoint, attempts }: ReasonFacts): string {
  const isPush = event === 'funnel.email.sync';
  if (isPush && endpoint?.hasUrl === false)
    return 'Not sent: no URL is connected, and texts for an email tool are not held until one is. Send it again then.';
  const orNoUrl = isPush ? ', or had no URL yet when it was sent' : '';
  return `${sent(attempts)}: the endpoint was not set to take ${event}${orNoUrl}. It can be redelivered all the same.`;
}

function failedText(facts: ReasonFacts): string {
  const { reasonCode, attempts } = facts;
  const made = attemptsText(attempts);
  switch (reasonCode) {
    case 'expired':
      return attempts === 0
        ? 'Never sent: it waited for 30 days, and was given up.'
        : `Given up after waiting for 30 days, with ${made}.${last(facts)}`;
    case 'no_address':
      return 'Given up: the event has no address of a buyer.';
    case 'unverified':
      return 'Not sent: the account’s email address is not verified, and until it is, nothing is sent. Verify the address; then it can be redelivered.';
    case 'refused':
      return `Given up: it was refused for good.${last(facts)}`;
    case 'unknown':
      return `Given up after ${made}: it may have arrived, so it was not sent again.${last(facts)}`;
    default:
      return `Given up after ${made}.${last(facts)}`;
  }
}

function canceledText({ reasonCode, attempts, endpoint, isAutomation }: ReasonFacts): string {
  const begun = sent(attempts);
  switch (reasonCode) {
    case 'removed':
      return `${begun}: the ${isAutomation ? 'automation' : 'endpoint'} was removed while this waited.`;
    case 'discarded':
      if (endpoint !== null && isAutomation)
        return `${begun}: the automation was switched off while this waited${whyOff(endpoint)}.`;
      return `${begun}: you chose to drop what was held.`;
    case 'test_send':
      return `${begun}: events that were held are sent again, test sends are not.`;
    default:
      return `${begun}: it was canceled.`;
  }
}

/** Of an automation that is off: once it is on again, nothing says why it was off. */
function whyOff({ switchedOffReason }: ReasonEndpoint): string {
  if (switchedOffReason === 'gone') return ', because its URL answered 410 (gone)';
  return switchedOffReason === 'failing' ? ', because nothing was delivered for five days' : '';
}

const last = ({ lastFailure, status }: ReasonFacts): string =>
  lastFailure === null ? '' : ` The last ${status === 'held' ? 'attempt' : 'one'} failed: ${lastFailure}`;
