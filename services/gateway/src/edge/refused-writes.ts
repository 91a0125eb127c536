import { type Gauge, observeGauges } from '@app/service-kit/metrics';
import { diskFullDetail } from '@app/service-kit/outages';
import type { FastifyInstance } from 'fastify';
import { fullDiskMet } from '../points/points.ts';

const refusing: Gauge = {
  name: 'disk.refusing_writes',
  unit: '{refusal}',
  of: 'process',
  description: 'Whether this replica refuses writes, because a disk of the deployment is full: 1, else 0.',
};

export interface WriteRefusals {
  /** Why nothing can be written right now, where this process watches the disk; undefined when it can, or where it does not. */
  readonly writeRefusal: () => string | undefined;
  /** How long a full disk that a request met is remembered, in milliseconds. */
  readonly refusalMs: number;
}

/**
 * Knows of a full disk of a database by the requests that failed for it: services do not see the disks of their servers. Such a disk takes
 * some writes all the same, so a success says nothing, and a refusal counts for a while.
 * @returns why writes are refused; undefined while they are not
 */
export function watchRefusedWrites(
  server: FastifyInstance,
  { writeRefusal, refusalMs }: WriteRefusals,
): () => string | undefined {
  let metMs = Number.NEGATIVE_INFINITY;
  server.addHook('onResponse', ({ failure, id: requestId }, _, done) => {
    if (failure?.error.message === diskFullDetail) {
      metMs = performance.now();
      fullDiskMet.announce(() => ({ requestId }));
    }
    done();
  });
  const refusal = (): string | undefined => {
    const isFull = performance.now() - metMs < refusalMs;
    return writeRefusal() ?? (isFull ? 'the disk of a database is full: writes are refused' : undefined);
  };
  const observed = observeGauges('gateway', [refusing], async () => [
    { gauge: refusing, value: refusal() === undefined ? 0 : 1 },
  ]);
  server.addHook('onClose', async () => observed.close());
  return refusal;
}
