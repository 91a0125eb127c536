import { startLoop } from '@app/service-kit/background-loop';
import { statement } from '@app/service-kit/database';
import { type Gauge, observeGauges, serviceGauge } from '@app/service-kit/metrics';
import { type ConservationDeps, proveConservation } from './prove-conservation.ts';

const gap = serviceGauge(
  'webhook.conservation.gap',
  '{row}',
  'Deliveries found missing, until five proofs after they were made again, and events found missing that are not marked as dealt with, 0 being the target',
);
const repaired: Gauge = {
  ...serviceGauge('webhook.conservation.repaired', '{delivery}', 'Lost deliveries that were made again, ever'),
  isTotal: true,
};
const age = serviceGauge('webhook.conservation.age', 's', 'Since the last proof of all new events ended');

/**
 * Most lost deliveries are made again within the run that finds them, and the metric is read once a minute or more
 * rarely: so what was made again shows for a few runs more.
 */
const shownForRuns = 5;
const figuresStatement = statement<{ gap: number; repaired: number; age: number }>(
  'conservation-figures',
  `select (select count(*) from lost_deliveries where repaired_at is null)
     + (select count(*) from lost_deliveries where repaired_at > now() - make_interval(secs => $1))
     + (select count(*) from lost_events where explained_at is null) as gap,
     repaired, extract(epoch from clock_timestamp() - proved_at)::float8 as age
   from conservation`,
  { gap: 'int8', repaired: 'int8', age: 'float8' },
);

/**
 * Reconciles events and deliveries every minute, at one replica: finds deliveries that are missing, has them made again,
 * and shows what it found.
 */
export function startConservation(deps: ConservationDeps): { close(): Promise<void> } {
  const { database, logger, intervalSeconds } = deps;
  const loop = startLoop({
    name: 'webhook-dispatcher.conservation',
    round: (isClosing) => proveConservation(deps, isClosing),
    pauseMs: () => intervalSeconds * 1_000,
    onFailure: (err) => logger.warn({ err }, 'the proof of conservation failed; retrying'),
  });
  const observed = observeGauges('webhook-dispatcher', [gap, repaired, age], async () => {
    const { rows } = await database.pool.query(figuresStatement([shownForRuns * intervalSeconds]));
    return rows.flatMap((row) => [
      { gauge: gap, value: row.gap },
      { gauge: repaired, value: row.repaired },
      { gauge: age, value: row.age },
    ]);
  });
  return {
    close: async () => {
      observed.close();
      await loop.close();
    },
  };
}
