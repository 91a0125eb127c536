import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { platformProblems } from '@app/contracts/daily-runs';
import { hourMs, minuteMs } from '@app/contracts/durations';
import { resultLines } from './result-lines.ts';
import { type ProgressPauses, watchProgress } from './watch-progress.ts';

/**
 * ran         the job ran for every account; what an account's seller must mend is in its result, and in that seller's activity
 * incomplete  it ran, and the platform failed at a part of it; the next run does what was left
 * refused     the gateway said no, or what answered is no gateway: another request changes nothing
 * unknown     no answer within an hour; the job may be running
 */
export type Outcome = 'ran' | 'incomplete' | 'refused' | 'unknown';

export interface DailyCall {
  readonly gatewayUrl: string;
  readonly key: string;
  /** One for each run that is meant: a repeat under it gets the result of that run and starts no other, if it was ok. */
  readonly idempotencyKey: string;
  readonly log: (line: string) => void;
  readonly force: boolean;
  /** An unreachable address is a refusal; else the request is repeated until a gateway answers. */
  readonly mustBeThere: boolean;
  /** Every few seconds unless given. */
  readonly progressPauses?: ProgressPauses;
}

const giveUpAfterMs = hourMs;
const pauseMs = minuteMs;
/** The gateway answers after 285 s at the latest; fetch itself gives up after 300 s. */
const answerWithinMs = 295_000;

/**
 * A job that takes longer than the gateway waits is answered with 503 and goes on, and so is answered with 409 while
 * another request with the key is running: the request is repeated until its result is there. So it is with an unreachable gateway.
 * A result that is not ok, and that an earlier process got already, is no reason to end the day: the job runs again.
 */
export async function callDailyJob(call: DailyCall): Promise<Outcome> {
  const startedMs = Date.now();
  let { idempotencyKey } = call;
  for (let tried = 1; ; tried++) {
    const answered = await requestAndWatch({ ...call, idempotencyKey }, tried);
    const outcome = outcomeOf(answered, call, tried);
    if (outcome !== 'again' && outcome !== 'later') return outcome;
    if (outcome === 'again') {
      idempotencyKey += `-${randomUUID()}`;
      continue;
    }
    const waitMs = Math.min(pauseMs, (answered.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000);
    if (Date.now() + waitMs - startedMs > giveUpAfterMs) return 'unknown';
    await sleep(waitMs);
  }
}

/** `again`: under another key. `later`: under the same one. */
function outcomeOf(
  { status, text, replayed }: Answered,
  { mustBeThere }: DailyCall,
  tried: number,
): Outcome | 'again' | 'later' {
  if (status === 200) {
    const ok = fieldOf(text, 'ok');
    if (ok === true) return 'ran';
    // Another server at the address, a proxy or a login page also answers 200.
    if (ok !== false) return 'refused';
    if (tried === 1 && replayed === true) return 'again';
    return problemCodesOf(text).some((code) => platformProblems.has(code)) ? 'incomplete' : 'ran';
  }
  const unreachable = status === 0 && mustBeThere && tried === 1;
  return unreachable || !isTemporary(status, text) ? 'refused' : 'later';
}

async function requestAndWatch(call: DailyCall, tried: number): Promise<Answered> {
  const watched = watchProgress(call);
  const answered = await request(call).finally(watched.stop);
  const { status, text } = answered;
  const lines = status === 200 ? resultLines(text) : [];
  if (lines.length === 0) call.log(`attempt ${tried}: ${status === 0 ? '' : `${status} `}${text}`);
  for (const line of lines) call.log(line);
  return answered;
}

const isTemporary = (status: number, text: string): boolean =>
  status === 0 || status === 429 || status >= 500 || (status === 409 && codeOf(text) === 'idempotency_key_in_use');

/** A result that is not ok and names nothing is the platform's own fault. */
function problemCodesOf(text: string): string[] {
  const problems = fieldOf(text, 'problems');
  const codes = Array.isArray(problems) ? problems.map((problem: { code?: unknown }) => String(problem.code)) : [];
  return codes.length === 0 ? ['account_failed'] : codes;
}

const codeOf = (text: string): unknown => fieldOf(text, 'code');

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
  /** It is the answer of an earlier request under the key. */
  readonly replayed?: boolean;
  readonly retryAfterSeconds?: number;
}

/** Calls the operation `runDailyJob` of the gateway. */
async function request({ gatewayUrl, key, idempotencyKey, force }: DailyCall): Promise<Answered> {
  try {
    const response = await fetch(new URL('/api/cron/daily', gatewayUrl), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': idempotencyKey,
        ...(force ? { 'content-type': 'application/json' } : {}),
      },
      ...(force ? { body: JSON.stringify({ force }) } : {}),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const { status } = response;
    const text = (await response.text()).slice(0, 20_000);
    const retryAfter = response.headers.get('retry-after') ?? '';
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    const answered = { status, text, replayed };
    return /^\d{1,5}$/.test(retryAfter) ? { ...answered, retryAfterSeconds: Number(retryAfter) } : answered;
  } catch (err) {
    const { message, cause } = err as Error;
    return { status: 0, text: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}
