import type pg from 'pg';
import { type Gauge, observeGauges } from './metrics.ts';

const connections: Gauge = {
  name: 'db.client.connection.count',
  unit: '{connection}',
  of: 'replica',
  description: 'Connections of the pool to PostgreSQL, of this replica, by state.',
};
const connectionsMax: Gauge = {
  name: 'db.client.connection.max',
  unit: '{connection}',
  of: 'replica',
  description: 'Connections that the pool of this replica may have.',
};
const waiting: Gauge = {
  name: 'db.client.connection.pending_requests',
  unit: '{request}',
  of: 'replica',
  description: 'What waits in this replica for a connection of the pool.',
};

export interface ObservedPool {
  /** Distinguishes it from other pools of the service. */
  readonly name: string;
  readonly service: string;
  /** How many connections it may have. */
  readonly max: number;
}

/** How far the pool is used, by OpenTelemetry's conventions for databases. */
export function observePool(pool: pg.Pool, { name, service, max }: ObservedPool): { close(): void } {
  const about = { 'db.client.connection.pool.name': name };
  const inState = (state: string) => ({ ...about, 'db.client.connection.state': state });
  return observeGauges(service, [connections, connectionsMax, waiting], async () => [
    { gauge: connections, value: pool.totalCount - pool.idleCount, attributes: inState('used') },
    { gauge: connections, value: pool.idleCount, attributes: inState('idle') },
    { gauge: connectionsMax, value: max, attributes: about },
    { gauge: waiting, value: pool.waitingCount, attributes: about },
  ]);
}
