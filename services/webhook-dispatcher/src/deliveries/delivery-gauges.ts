import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { observeGauges, serviceGauge } from '@app/service-kit/metrics';

/** Counting stops here, at some 50 ms. */
const countMax = 100_000;

const due = serviceGauge(
  'deliveries.due',
  '{delivery}',
  `Deliveries that are due and not being sent, by channel (http, email), counted up to ${countMax}`,
);
const dueAge = serviceGauge('deliveries.due.oldest_age', 's', 'Since the oldest of them became due, by channel');
const switchedOff = serviceGauge(
  'endpoints.switched_off',
  '{endpoint}',
  'Endpoints that were switched off because nothing could be delivered (failing) or because they are gone, by reason',
);

const dueStatement = statement<{ channel: string; deliveries: number; age: number }>(
  'deliveries-due-count',
  `select e.channel, count(*)::int as deliveries,
     extract(epoch from $1::timestamptz - min(d.next_attempt_at))::float8 as age
   from (select endpoint_id, next_attempt_at from deliveries where status = 'pending' and due limit ${countMax}) as d
     join endpoints as e on e.id = d.endpoint_id
   group by e.channel`,
  { age: 'float8', channel: 'text', deliveries: 'int4' },
);

const switchedOffStatement = statement<{ reason: string; endpoints: number }>(
  'endpoints-switched-off-count',
  `select switched_off_reason as reason, count(*)::int as endpoints from endpoints
   where switched_off_reason in ('failing', 'gone') group by 1`,
  { endpoints: 'int4', reason: 'text' },
);

/** Shows what waits to be sent although it may be, and which receivers get nothing any more. */
export function observeDeliveries({ pool }: Database, clock: Clock): { close(): void } {
  return observeGauges('webhook-dispatcher', [due, dueAge, switchedOff], async () => {
    const [waiting, off] = await Promise.all([
      pool.query(dueStatement([clock.now()])),
      pool.query(switchedOffStatement()),
    ]);
    return [
      ...waiting.rows.map(({ channel, deliveries }) => ({ gauge: due, value: deliveries, attributes: { channel } })),
      ...waiting.rows.map(({ channel, age }) => ({ gauge: dueAge, value: age, attributes: { channel } })),
      ...off.rows.map(({ reason, endpoints }) => ({ gauge: switchedOff, value: endpoints, attributes: { reason } })),
    ];
  });
}
