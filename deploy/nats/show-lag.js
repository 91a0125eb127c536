/*
 * Says the lag of each consumer, from what nats-server shows at /jsz?accounts=true&streams=true&consumers=true on
 * standard input. Needs no installed packages.
 *   docker compose exec -T nats wget -qO- 'http://127.0.0.1:8222/jsz?accounts=true&streams=true&consumers=true' |
 *     node deploy/nats/show-lag.ts
 */
import { text } from 'node:stream/consumers';

interface Shown {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly state: { readonly messages: number; readonly bytes: number; readonly last_seq: number };
      readonly consumer_detail?: readonly {
        readonly name: string;
        readonly num_pending: number;
        readonly num_ack_pending: number;
        readonly num_redelivered: number;
      }[];
    }[];
  }[];
}

const shown = JSON.parse(await text(process.stdin)) as Shown;
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
