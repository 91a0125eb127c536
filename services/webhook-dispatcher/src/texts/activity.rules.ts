/** The status that an attempt gave its delivery; null when the attempt outlived its lease and changed nothing. */
export type ActivityStatus = 'delivered' | 'pending' | 'failed' | 'held' | 'held_for_failing' | 'canceled' | null;

export interface AttemptFacts {
  readonly event: string;
  readonly url: string;
  readonly number: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** What is wrong, in a sentence; null when nothing is. */
  readonly diagnosis: string | null;
  readonly outcome: ActivityStatus;
  readonly nextAttemptAt: string | null;
}

/** Makes foreign text safe inside a sentence: replaces control characters and line breaks, which terminals obey. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** An attempt in one plain sentence: `order.paid delivered to https://… (200 in 12 ms)`. */
export function attemptText(attempt: AttemptFacts): string {
  const { event, url, outcome } = attempt;
  const verb = outcome === 'delivered' ? 'delivered to' : 'not delivered to';
  const diagnosis = attempt.diagnosis === null ? '' : `. ${attempt.diagnosis}`;
  return `${event} ${verb} ${url} (${responseText(attempt)})${consequence(attempt)}${diagnosis}`;
}

function responseText({ statusCode, durationMs, error }: AttemptFacts): string {
  if (error !== null) return `${statusCode === null ? '' : `${statusCode}, `}${error}, after ${durationMs} ms`;
  // An email that a mail server took has no status.
  return statusCode === null ? `in ${durationMs} ms` : `${statusCode} in ${durationMs} ms`;
}

export const attemptsText = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);

function consequence({ outcome, number, nextAttemptAt }: AttemptFacts): string {
  switch (outcome) {
    case 'pending':
      return `; attempt ${number + 1} follows at ${nextAttemptAt}`;
    case 'failed':
      return `; given up after ${attemptsText(number)}`;
    case 'held':
      return '; held, because the endpoint is off';
    case 'held_for_failing':
      return `; given up after ${attemptsText(number)}, and held until the endpoint takes a delivery`;
    case 'canceled':
      return '; canceled, because the endpoint was removed or the automation switched off';
    case 'delivered':
    case null:
      return '';
  }
}

export function unmatchedCodeText(code: string): string {
  return `The order names the affiliate code "${oneLine(code)}", which is not one of yours: the order stands, no affiliate is credited`;
}

/** A refund that the processor had taken failed afterwards. `detail` is what the processor said. */
export function reopenedText(order: { customerEmail: string; detail: string }): string {
  return (
    `The refund failed at the payment processor ("${oneLine(order.detail)}"): the money is with you and the order counts as ` +
    `paid again. Refund it once more, or give ${order.customerEmail} the money back in another way`
  );
}

export function endpointRemovedText(url: string, canceled: number): string {
  return `The webhook endpoint ${url} was removed${canceled === 0 ? '' : `; ${canceledText('waited', canceled)}`}`;
}

export function heldDroppedText(url: string, canceled: number): string {
  return `For the webhook endpoint ${url}, ${canceledText('was held', canceled, 'were held')}, as chosen`;
}

const canceledText = (one: string, count: number, many = one): string =>
  count === 1 ? `1 delivery that ${one} is canceled` : `${count} deliveries that ${many} are canceled`;

/** For deliveries that waited until their bodies were deleted. */
export function givenUpText(url: string | null, count: number, oldest: Date, newest: Date): string {
  const to = url === null ? '' : ` to ${url}`;
  const made =
    count === 1 ? `made at ${oldest.toISOString()}` : `made from ${oldest.toISOString()} to ${newest.toISOString()}`;
  const what = count === 1 ? `1 delivery${to}, ${made}, is` : `${count} deliveries${to}, ${made}, are`;
  return `${what} given up after waiting for 30 days`;
}

/** What does not take its deliveries: a URL, or the URL that an automation posts to. */
export interface Unreached {
  readonly url: string;
  /** The automation's name; null for a webhook endpoint. */
  readonly automation: string | null;
}

const nameOf = ({ url, automation }: Unreached): string =>
  automation === null ? `webhook endpoint ${url}` : `automation "${oneLine(automation)}" at ${url}`;
const untilOnAgain = ({ automation }: Unreached): string =>
  automation === null
    ? 'Events are held until it has a new URL or is switched on again'
    : 'It runs for nothing until it is on again';

/** After a day of failures; five days of them switch it off. */
export function endpointFailingText(unreached: Unreached, since: Date, attempts: number): string {
  return (
    `Nothing has reached the ${nameOf(unreached)} since ${since.toISOString()}: all ${attempts} attempts failed. ` +
    'Check the latest attempt. What failed is tried again; after five days of failures it is switched off'
  );
}

export function endpointGoneText(unreached: Unreached): string {
  return (
    `The ${nameOf(unreached)} was switched off: it answered 410, which says that nothing is to be sent there any ` +
    `more. ${untilOnAgain(unreached)}`
  );
}

export function endpointSwitchedOffText(unreached: Unreached, since: Date, attempts: number): string {
  return (
    `The ${nameOf(unreached)} was switched off: all ${attempts} attempts since ${since.toISOString()} failed. ` +
    untilOnAgain(unreached)
  );
}
