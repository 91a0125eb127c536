/** The status that an attempt gave its delivery; null when the attempt outlived its lease and changed nothing. */
export type Outcome = 'delivered' | 'pending' | 'failed' | 'held' | 'canceled' | null;

export interface AttemptFacts {
  readonly event: string;
  readonly url: string;
  readonly number: number;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly outcome: Outcome;
  readonly nextAttemptAt: string | null;
}

/** Makes foreign text safe inside a sentence: replaces control characters and line breaks, which terminals obey. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** An attempt in one plain sentence: `order.paid delivered to https://… (200 in 12 ms)`. */
export function attemptText(attempt: AttemptFacts): string {
  const { event, url, outcome } = attempt;
  const verb = outcome === 'delivered' ? 'delivered to' : 'not delivered to';
  return `${event} ${verb} ${url} (${responseText(attempt)})${consequence(attempt)}`;
}

function responseText({ statusCode, durationMs, error }: AttemptFacts): string {
  if (error !== null) return `${statusCode === null ? '' : `${statusCode}, `}${error}, after ${durationMs} ms`;
  const redirect = statusCode !== null && statusCode >= 300 && statusCode < 400;
  return `${statusCode} in ${durationMs} ms${redirect ? '; redirects are not followed' : ''}`;
}

function consequence({ outcome, number, nextAttemptAt }: AttemptFacts): string {
  switch (outcome) {
    case 'pending':
      return `; try ${number + 1} follows at ${nextAttemptAt}`;
    case 'failed':
      return `; given up after ${number} tries`;
    case 'held':
      return '; held, because the endpoint is off';
    case 'canceled':
      return '; canceled, because the endpoint was removed';
    case 'delivered':
    case null:
      return '';
  }
}

export function unmatchedCodeText(code: string): string {
  return `The order names the affiliate code "${oneLine(code)}", which is not one of yours: the order stands, nobody is credited`;
}

/** A refund that the processor had taken failed afterwards. `detail` is what the processor said. */
export function reopenedText(order: { customerEmail: string; detail: string }): string {
  return (
    `The refund failed at the payment processor ("${oneLine(order.detail)}"): the money is with you and the order counts as ` +
    `paid again. Refund it once more, or give ${order.customerEmail} the money back in another way`
  );
}

export function endpointRemovedText(url: string, canceled: number): string {
  const what =
    canceled === 1 ? '1 delivery that waited is canceled' : `${canceled} deliveries that waited are canceled`;
  return `The webhook endpoint ${url} was removed${canceled === 0 ? '' : `; ${what}`}`;
}

/** For deliveries that waited until their bodies were deleted. */
export function givenUpText(url: string | null, count: number, oldest: Date, newest: Date): string {
  const to = url === null ? '' : ` to ${url}`;
  const made =
    count === 1 ? `made at ${oldest.toISOString()}` : `made from ${oldest.toISOString()} to ${newest.toISOString()}`;
  const what = count === 1 ? `1 delivery${to}, ${made}, is` : `${count} deliveries${to}, ${made}, are`;
  return `${what} given up after waiting for 30 days`;
}

export function endpointSwitchedOffText(url: string, since: Date, attempts: number): string {
  return (
    `The webhook endpoint ${url} was switched off: all ${attempts} tries since ${since.toISOString()} failed. ` +
    'Events are held until it is switched on again'
  );
}
