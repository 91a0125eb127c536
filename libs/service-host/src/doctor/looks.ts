import { connect } from 'node:net';
import { type Finding, linesOf, type Ready, unseen } from './findings.rules.ts';

/** Nothing that is asked may hang. */
const withinMs = 5_000;

/** That one thing cannot be looked at hides no other: it is when something is broken that an operator looks. */
export async function look<Found extends Finding | Finding[]>(
  about: string,
  at: () => Found | Promise<Found>,
): Promise<Found | Finding> {
  try {
    return await at();
  } catch (err) {
    return unseen(about, (err as Error).message);
  }
}

/** @param url of the gateway */
export async function readReadiness(url: string): Promise<Ready> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(withinMs) });
    return (await answer.json()) as Ready;
  } catch (err) {
    return { status: 'no answer', missing: [`the gateway at ${url} (${(err as Error).message})`] };
  }
}

/** How far a server's clock is from this process', in milliseconds. @param read the server's time, in milliseconds since the epoch */
export async function clockDifferenceMs(read: () => Promise<number>): Promise<number> {
  const beforeMs = Date.now();
  const serverMs = await read();
  // It was read at some time between the two.
  const [least, most] = [serverMs - Date.now(), serverMs - beforeMs];
  return Math.max(least, Math.min(most, 0));
}

interface Run {
  readonly finished_at: string | null;
  readonly result?: { readonly problems: readonly { readonly code: string }[] } | null;
}

/** What the gateway's list says of runs over all accounts. @param key the platform's */
export async function readDailyJob(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/daily-runs`, { headers, signal: AbortSignal.timeout(withinMs) });
  if (!answer.ok) throw new Error(`the gateway answered with ${answer.status}`);
  const { data, due_since } = (await answer.json()) as {
    readonly data: readonly Run[];
    readonly due_since: string | null;
  };
  const last = data.find(({ finished_at }) => finished_at !== null);
  const problems = [...new Set(last?.result?.problems.map(({ code }) => code) ?? [])];
  return { finishedAt: last?.finished_at ?? undefined, problems, dueSince: due_since ?? undefined };
}

/** Whether the mail server greets. What it takes, the first email shows. */
export async function answersMail(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) || (protocol === 'smtps:' ? 465 : 587) });
  const { promise, resolve: end } = Promise.withResolvers<boolean>();
  socket.once('connect', () => end(true)).once('error', () => end(false));
  socket.setTimeout(withinMs, () => end(false));
  return await promise.finally(() => socket.destroy());
}

/** Prints what was found. @returns the exit code: 0 when nothing is bad, else 2 */
export function report(findings: readonly Finding[], write: (text: string) => void): number {
  for (const line of linesOf(findings)) write(`${line}\n`);
  return findings.some(({ state }) => state === 'bad') ? 2 : 0;
}
