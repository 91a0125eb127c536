/*
 * Says the lag of each consumer, from what nats-server shows at /jsz?accounts=true&streams=true&consumers=true on
 * standard input. Needs no installed packages, and runs on Node 20.
 *   docker compose exec -T nats wget -qO- 'http://127.0.0.1:8222/jsz?accounts=true&streams=true&consumers=true' |
 *     node deploy/nats/show-lag.js
 */
import { text } from 'node:stream/consumers';

/**
 * @typedef {{ name: string, num_pending: number, num_ack_pending: number, num_redelivered: number }} Consumer
 * @typedef {{ name: string, state: { messages: number, bytes: number, last_seq: number }, consumer_detail?: Consumer[] }} Stream
 */

/** @type {{ account_details?: { stream_detail?: Stream[] }[] }} */
const shown = JSON.parse(await text(process.stdin));
const streams = (shown.account_details ?? []).flatMap((account) => account.stream_detail ?? []);
if (streams.length === 0) process.stdout.write('no streams\n');
for (const { name, state, consumer_detail: consumers = [] } of streams) {
  const megabytes = (state.bytes / 1_048_576).toFixed(1);
  process.stdout.write(`${name}: ${state.messages} events, ${megabytes} MB, the last is ${state.last_seq}\n`);
  for (const consumer of consumers) {
    const lag = consumer.num_pending + consumer.num_ack_pending;
    const parts = `${consumer.num_pending} not fetched, ${consumer.num_ack_pending} under way`;
    process.stdout.write(`  ${consumer.name}: lag ${lag} (${parts}, ${consumer.num_redelivered} repeated)\n`);
  }
}
