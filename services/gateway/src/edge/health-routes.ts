import { countOverdue } from '@app/contracts/daily-runs';
import { countOverdueReminders } from '@app/contracts/reminders';
import type { ServiceName } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import type { Requester } from '@app/messaging/requester';
import { beyondRepair, type Check, readiness, warningsOf } from '@app/service-kit/service';
import { within } from '@app/service-kit/within';
import type { FastifyInstance } from 'fastify';

/** How readiness learns of other services, in milliseconds. */
export interface HealthTimes {
  /** How long a service is waited for: within the second that a probe waits, also when a service hangs. */
  readonly limitMs: number;
  /** How long a result is remembered, however often readiness is read. */
  readonly memoryMs: number;
  /** How long a full disk is remembered after the last request that met it. */
  readonly refusalMs: number;
}

export const healthTimes: HealthTimes = { limitMs: 500, memoryMs: 1_000, refusalMs: 30_000 };

export interface HealthDeps {
  readonly checks: readonly Check[];
  readonly requester: Requester;
  readonly healthTimes: HealthTimes;
  /** Why nothing can be written right now; undefined when it can. */
  readonly writeRefusal: () => string | undefined;
}

/**
 * For probes and people; no key, no rate limit. A gateway that lacks a service is still worth sending requests to: what
 * that service does not do works, and no other gateway has it either. So it is degraded, and not out of rotation.
 */
export function routeHealth(server: FastifyInstance, deps: HealthDeps): void {
  server.get('/healthz', async (_, reply) => {
    const missing = beyondRepair(deps.checks);
    return missing.length === 0 ? { status: 'ok' } : reply.code(503).send({ status: 'not alive', missing });
  });
  const { memoryMs } = deps.healthTimes;
  const silentServices = rememberFor(memoryMs, () => findSilent(deps));
  const recentWarnings = rememberFor(memoryMs, () => findWarnings(deps));
  server.get('/readyz', async (_, reply) => {
    const [own, silent, others] = await Promise.all([readiness(deps.checks), silentServices(), recentWarnings()]);
    const refusal = deps.writeRefusal();
    const warnings = [...warningsOf(deps.checks), ...others, ...(refusal === undefined ? [] : [refusal])];
    if (!own.ready) return reply.code(503).send({ status: 'not ready', missing: own.missing });
    const fine = silent.length + warnings.length === 0;
    return { status: fine ? 'ok' : 'degraded', missing: silent, ...(warnings.length > 0 && { warnings }) };
  });
}

async function findSilent({ requester, healthTimes: { limitMs } }: HealthDeps): Promise<ServiceName[]> {
  const { requests } = topology.gateway;
  const reached = await Promise.all(requests.map((service) => requester.reaches(service, limitMs)));
  return requests.filter((_, index) => reached[index] !== true);
}

/**
 * What other services warn operators of; how many accounts it concerns is in their own health, which strangers do not reach. A service that
 * does not answer is named as missing already.
 */
async function findWarnings({ requester, healthTimes: { limitMs } }: HealthDeps): Promise<string[]> {
  const overdue = async (counted: typeof countOverdue | typeof countOverdueReminders) => {
    const counting = requester
      .request(counted, {}, { accountId: '', requestId: 'readyz' })
      .catch(() => ({ accounts: 0 }));
    const { accounts } = await within(limitMs, counting, () => ({ accounts: 0 }));
    return accounts > 0;
  };
  const found = await Promise.all([overdue(countOverdue), overdue(countOverdueReminders)]);
  return found.includes(true) ? ['daily run overdue'] : [];
}

function rememberFor<T>(limitMs: number, find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  let foundMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (found === undefined || nowMs - foundMs > limitMs) {
      found = find();
      foundMs = nowMs;
    }
    return found;
  };
}
