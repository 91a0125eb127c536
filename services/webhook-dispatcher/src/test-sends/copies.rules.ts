import type { RequestOutput } from '@app/contracts/define';
import type { selfTestWebhook } from '@app/contracts/webhook-tests';

type SelfTestResult = RequestOutput<typeof selfTestWebhook>;
type CopyResult = SelfTestResult['results'][number];
export type CopyKind = CopyResult['copy'];

/** The order in which the copies are sent. The second of two is sent last, so that the others are no copies of it. */
export const copyKinds = ['good', 'bad_signature', 'stale', 'doubled'] as const satisfies readonly CopyKind[];

/** How the receiver answered one copy. */
export interface CopyAnswer {
  readonly accepted: boolean;
  readonly statusCode: number | null;
  /** In plain words; null when the exchange was complete. */
  readonly error: string | null;
  /** What is wrong with an answer that was accepted, as that of a page for people; null when nothing is. */
  readonly warning: string | null;
  readonly durationMs: number;
}

export type CopyAnswers = Readonly<Record<CopyKind, CopyAnswer>>;

/**
 * What the answers to the four copies say about the receiver, for its seller. Whatever is no complete 2xx is a refusal,
 * as it is for deliveries.
 * @param sameSale what the good and the doubled copy are about, such as `order ord_…`
 */
export function judgeCopies(answers: CopyAnswers, sameSale: string): SelfTestResult {
  const results = copyKinds.map((copy): CopyResult => {
    const { statusCode, error, durationMs, accepted } = answers[copy];
    const expected = copy === 'good' || copy === 'doubled' ? 'accept' : 'refuse';
    // To refuse everything is no check of a signature.
    const ok = expected === 'accept' ? accepted : !accepted && answers.good.accepted;
    const explanation = explanations[copy](answers, sameSale);
    return { copy, expected, status_code: statusCode, error, duration_ms: durationMs, ok, explanation };
  });
  return { ok: results.every(({ ok }) => ok), results, summary: summaryOf(answers) };
}

const explanations: Readonly<Record<CopyKind, (answers: CopyAnswers, sameSale: string) => string>> = {
  good: ({ good }) => (good.accepted ? acceptedText(good) : refusedText(good)),
  bad_signature: (answers) =>
    answers.bad_signature.accepted
      ? 'A copy with a wrong signature was accepted: anyone who knows the URL could fake a sale. Check ' +
        '`webhook-signature` before you believe a body.'
      : refusalText(answers, answers.bad_signature, 'A copy with a wrong signature'),
  stale: (answers) =>
    answers.stale.accepted
      ? 'A copy that was signed ten minutes ago was accepted: a stranger with a copy of a delivery could send it again later. ' +
        'Refuse a `webhook-timestamp` that is more than five minutes away from your clock.'
      : refusalText(answers, answers.stale, 'A copy that was signed ten minutes ago'),
  doubled: doubledText,
};

function acceptedText({ statusCode, warning }: CopyAnswer): string {
  return warning === null
    ? 'A genuine delivery was accepted.'
    : `A genuine delivery was answered with ${statusCode}, but perhaps not by your code. ${warning}`;
}

/** Why a genuine delivery may have been refused, by what came back. */
function refusedText(answer: CopyAnswer): string {
  const { statusCode } = answer;
  const what = `A genuine delivery was not accepted: ${answerText(answer)}.`;
  if (statusCode === null || answer.error !== null) return what;
  if (statusCode < 400) return `${what} Redirects are not followed: connect the URL that it leads to.`;
  if ([404, 405, 410].includes(statusCode)) return `${what} Nothing takes POST requests at this URL.`;
  if (statusCode >= 500) return `${what} The receiver failed; its own log says why.`;
  return (
    `${what} The secret there may be an older one or another endpoint’s, or the body is changed before it is checked: ` +
    'check the bytes as they came.'
  );
}

function refusalText({ good }: CopyAnswers, answer: CopyAnswer, what: string): string {
  if (good.accepted) return `${what} was not accepted (${answerText(answer)}), as it should be.`;
  return `${what} was not accepted (${answerText(answer)}), but neither was the good one: this proves nothing yet.`;
}

function doubledText({ good, doubled }: CopyAnswers, sameSale: string): string {
  if (doubled.accepted) {
    return `The same delivery was accepted a second time, as it should be. Make sure that ${sameSale} counts once there: only you can see that.`;
  }
  if (!good.accepted) return `It was not accepted (${answerText(doubled)}), as the first one was not.`;
  return (
    `The same delivery was refused the second time (${answerText(doubled)}). When an answer gets lost it is sent again, and ` +
    'would be for days: answer 2xx to a `webhook-id` that you have seen, and do nothing.'
  );
}

function answerText({ statusCode, error }: CopyAnswer): string {
  if (error !== null) return statusCode === null ? error : `${statusCode}, then ${error}`;
  return `it answered ${statusCode}`;
}

function summaryOf({ good, bad_signature: bad, stale, doubled }: CopyAnswers): string {
  const faults = [
    good.accepted ? (good.warning ?? '') : 'A genuine delivery was not accepted.',
    bad.accepted ? 'A wrong signature was accepted: anyone who knows the URL could fake a sale.' : '',
    stale.accepted ? 'A delivery of ten minutes ago was accepted: an old one could be sent again by others.' : '',
    good.accepted && !doubled.accepted ? 'A repeated delivery was refused: it would be sent again and again.' : '',
  ].filter((fault) => fault !== '');
  return faults.length === 0 ? 'The receiver accepts what is genuine and refuses what is not.' : faults.join(' ');
}
