/**
 * The floor of deliveries: undici alone, so many POSTs at once of the same size to the same sink. Nothing is consumed,
 * stored or signed, and nothing is recorded unless the plan names a database. In its own process, started by start-bare-sender.ts, which sends the plan.
 */
import { once } from 'node:events';
import { Agent } from 'undici';
import { openBareRecorder } from './bare-recorder.ts';
import type { BarePlan } from './start-bare-sender.ts';

process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
const [plan] = (await once(process, 'message')) as [BarePlan];
const { url, body, headers, concurrency, warmUpSeconds, seconds, databaseUrl } = plan;
const recorder = databaseUrl === null ? undefined : await openBareRecorder(databaseUrl);
const agent = new Agent({ connections: concurrency, pipelining: 1 });
const { origin, pathname: path } = new URL(url);
let sent = 0;
let failed = 0;
let running = true;

async function sendOn(): Promise<void> {
  while (running) {
    const startedMs = performance.now();
    const answer = await agent.request({ origin, path, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode === 200) sent += 1;
    else failed += 1;
    await recorder?.add(answer.statusCode, performance.now() - startedMs);
  }
}

const sending = Array.from({ length: concurrency }, sendOn);
await new Promise((resolve) => setTimeout(resolve, warmUpSeconds * 1_000));
const done = (): number => recorder?.recorded() ?? sent;
const [doneBefore, startedMs] = [done(), performance.now()];
process.send?.({ started: true });
await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
const elapsed = (performance.now() - startedMs) / 1_000;
process.send?.({ sent: done() - doneBefore, failed, seconds: elapsed });
running = false;
await Promise.all(sending);
await recorder?.close();
