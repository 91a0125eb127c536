import { setTimeout as sleep } from 'node:timers/promises';

/**
 * ran         the job ran for every account
 * incomplete  it ran, and some account's part failed; the next run does what was left
 * refused     the gateway said no: asking again changes nothing
 * unknown     no answer within an hour; the job may be running
 */
export type Outcome = 'ran' | 'incomplete' | 'refused' | 'unknown';

export interface DailyCall {
  readonly gatewayUrl: string;
  readonly platformKey: string;
  /** One for each run that is meant: asking again under it gets the result of that run and starts no other. */
  readonly idempotencyKey: string;
  readonly log: (line: string) => void;
}

const giveUpAfterMs = 60 * 60_000;
const pauseMs = 60_000;
const answerWithinMs = 120_000;

/**
 * A job that takes longer than the gateway waits is answered with 503 and goes on, and so is answered with 409 while
 * somebody else asks under the key: it is asked again until its result is there. So it is with an unreachable gateway.
 */
export async function runDailyJob(call: DailyCall): Promise<Outcome> {
  const startedMs = Date.now();
  for (let tried = 1; ; tried++) {
    const { status, text, retryAfterSeconds } = await ask(call);
    call.log(`try ${tried}: ${status === 0 ? '' : `${status} `}${text}`);
    if (status === 200) return isComplete(text) ? 'ran' : 'incomplete';
    if (!isTemporary(status, text)) return 'refused';
    const waitMs = Math.min(pauseMs, (retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000);
    if (Date.now() + waitMs - startedMs > giveUpAfterMs) return 'unknown';
    await sleep(waitMs);
  }
}

const isTemporary = (status: number, text: string): boolean =>
  status === 0 || status === 429 || status >= 500 || (status === 409 && codeOf(text) === 'idempotency_key_in_use');

const codeOf = (text: string): unknown => fieldOf(text, 'code');
const isComplete = (text: string): boolean => fieldOf(text, 'ok') !== false;

function fieldOf(text: string, name: string): unknown {
  try {
    return (JSON.parse(text) as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

interface Answered {
  /** 0: none came. */
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

async function ask({ gatewayUrl, platformKey, idempotencyKey }: DailyCall): Promise<Answered> {
  try {
    const response = await fetch(new URL('/api/cron/daily', gatewayUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${platformKey}`, 'idempotency-key': idempotencyKey },
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const { status } = response;
    const text = (await response.text()).slice(0, 2_000);
    const retryAfter = response.headers.get('retry-after') ?? '';
    return /^\d{1,5}$/.test(retryAfter) ? { status, text, retryAfterSeconds: Number(retryAfter) } : { status, text };
  } catch (err) {
    const { message, cause } = err as Error;
    return { status: 0, text: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}
