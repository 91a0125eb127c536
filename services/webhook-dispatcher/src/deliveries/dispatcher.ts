import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { deliveriesClaimed, deliveriesReleased, dueDeliveriesRead } from '../points/points.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Partitions } from '../storage/partitions.ts';
import type { Attempt } from './attempt.ts';
import { createAttemptDelivery } from './attempt-delivery.ts';
import { Backlog } from './backlog.ts';
import { claimDeliveries, freeVoidLeases, markAndListDue, releaseDeliveries } from './claim-deliveries.ts';
import type { Delivery, Destination, EndpointBatch, Lease } from './delivery.types.ts';
import { DeliveryScheduler, type SendResult, type WaitReason } from './delivery-scheduler.ts';
import type { DeliverySender } from './delivery-sender.ts';
import { goneStatus } from './exchange.rules.ts';
import { createGuardedAgent } from './guarded-agent.ts';
import { type HostRate, HostRates } from './host-rates.ts';
import { Leases } from './leases.ts';
import type { Priority } from './priority.rules.ts';
import { createRecorder, type Recorder } from './record-attempts.ts';
import { recordWaitReasons } from './record-wait-reasons.ts';

/** `createSendEmail` makes it. The attempt is null when none was made, because the mail server was unreachable shortly before. */
export type SendEmail = (
  delivery: Delivery,
  to: Destination,
) => Promise<{ attempt: Attempt | null; result: SendResult }>;

export interface DispatcherOptions {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly owner: number;
  /** Whether nothing is sent now: what becomes due waits in the database. */
  readonly isHeld: () => boolean;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly allowLoopback: boolean;
  /** Deliveries of an account to one host, and of all accounts to one that has acknowledged nothing, over all replicas; 0: no bound. */
  readonly webhooksPerSecond: number;
  readonly attemptTimeoutMs: number;
  readonly leaseSeconds: number;
  readonly sendEmail: SendEmail;
  /** One email, all of it. */
  readonly emailTimeoutMs: number;
  /** Nothing was delivered to the endpoint for a day or for five days. Called for each further failure, too. */
  readonly onFailingForLong: (endpointId: string) => void;
  /** The URL has answered that it is gone. */
  readonly onGone: (endpointId: string, url: string) => void;
}

/** Nothing announces that a retry is due or that a lease has ended, so the database is polled. */
const pollIntervalMs = 1_000;
/** Deliveries released in one statement. */
const releaseBatchMax = 1_000;
/** How long requests in flight may take to finish at shutdown. */
const shutdownGraceMs = 5_000;

/**
 * Sends stored deliveries to their receivers. New deliveries come straight from the consumer, which stores them on
 * lease. Deliveries that are due again, that exceeded the capacity or that a dead process left are claimed from the
 * database as soon as their endpoints have capacity. `DeliveryScheduler` picks the next one and calls
 * `#send`: `attempt-delivery.ts` posts it, or `send-email.ts` sends the email of an automation, and `record-attempts.ts` writes what
 * became of it; when it is tried again `schedule.rules.ts` says.
 */
export class Dispatcher implements DeliverySender {
  readonly #options: DispatcherOptions;
  readonly #agent;
  readonly #attemptDelivery;
  readonly #recorder: Recorder;
  readonly #leases: Leases;
  readonly #rates: HostRates;
  readonly #scheduler: DeliveryScheduler;
  readonly #backlog: Backlog;
  readonly #releases: Batcher<Delivery, void>;
  readonly #inFlight = new Set<Delivery>();
  readonly #claiming: BackgroundLoop;
  #polledAtMs = Number.NEGATIVE_INFINITY;
  #closing = false;
  #abandoned = false;

  constructor(options: DispatcherOptions) {
    const { database, logger, owner, leaseSeconds } = options;
    const { partitions, onFailingForLong } = options;
    this.#options = options;
    this.#leases = new Leases(owner, leaseSeconds);
    this.#rates = new HostRates(options.webhooksPerSecond);
    this.#agent = createGuardedAgent({ ...options, rates: this.#rates });
    this.#attemptDelivery = createAttemptDelivery({
      ...options,
      agent: this.#agent,
      onAcknowledged: (url, address) => this.#rates.acknowledged(url, address),
    });
    this.#recorder = createRecorder({ database, partitions, logger, leaseMs: leaseSeconds * 1_000, onFailingForLong });
    this.#scheduler = new DeliveryScheduler({
      rates: this.#rates,
      attemptTimeoutMs: options.attemptTimeoutMs,
      emailTimeoutMs: options.emailTimeoutMs,
      send: (delivery, to) => this.#send(delivery, to),
      release: (endpointId, deliveries) => {
        for (const { priority } of deliveries) this.#backlog.add(endpointId, priority);
        void this.#release(deliveries);
      },
      onCapacity: (endpointId) => {
        // The poll claims what waits for the rate, one second's worth at a time, and not each delivery as its token comes.
        if (this.#scheduler.hostRateOf(endpointId)?.isUsedUp() === true) return;
        if (this.#backlog.isClaimDue(endpointId)) this.#claiming.wake();
      },
    });
    this.#backlog = new Backlog(this.#scheduler);
    this.#releases = createBatcher<Delivery, void>({
      maxSize: releaseBatchMax,
      run: async (deliveries) => {
        await releaseDeliveries(database, deliveries);
        deliveriesReleased.announce(() => ({ deliveryIds: deliveries.map(({ id }) => id) }));
        return deliveries.map(() => ({ ok: true, value: undefined }));
      },
    });
    this.#claiming = startLoop({
      name: 'webhook-dispatcher.deliveries',
      held: options.isHeld,
      round: (isClosing) => this.#pollAndClaim(isClosing),
      pauseMs: () => Math.max(1, this.#polledAtMs + pollIntervalMs - performance.now()),
      onFailure: (err) => logger.warn({ err }, 'due deliveries could not be claimed; retrying'),
    });
  }

  newLease(): Lease {
    return this.#leases.create();
  }

  /** Deliveries are about to be stored under the lease. They are freed unless `queueCommitted` follows within 3 seconds. */
  registerLease(lease: Lease): void {
    this.#leases.register(lease);
  }

  /**
   * How many new deliveries of the endpoint may be stored as `sending`. None while older ones of the same or a more urgent
   * priority are due in the database: new deliveries wait behind those, and behind no others.
   */
  freeCapacityOf(endpointId: string, priority: Priority): number {
    if (this.#closing || this.#options.isHeld() || this.#backlog.has(endpointId, priority)) return 0;
    const { free } = this.#scheduler.freeCapacityOfGroup(this.#scheduler.groupOf(endpointId), priority);
    return Math.min(free, this.#scheduler.freeCapacityOf(endpointId, priority));
  }

  /** The bound that all the account's deliveries to the URL's host share; null where there is none. */
  hostRateOf(accountId: string, url: string | null): HostRate | null {
    return this.#rates.of(accountId, url);
  }

  /** Queues the deliveries of a lease whose transaction is committed. */
  queueCommitted(lease: Lease, batches: readonly EndpointBatch[]): void {
    if (!this.#leases.confirm(lease)) {
      void this.#release(batches.flatMap((batch) => batch.deliveries));
      return;
    }
    for (const { destination, deliveries, overflow } of batches) {
      this.#scheduler.add(destination, deliveries);
      for (const priority of overflow) this.#backlog.add(destination.endpointId, priority);
    }
    if (batches.some((batch) => batch.overflow.size > 0)) this.#claiming.wake();
  }

  /** Polls the database now, because deliveries became due otherwise than by time. */
  wake(): void {
    this.#polledAtMs = Number.NEGATIVE_INFINITY;
    this.#claiming.wake();
  }

  /** The endpoint was changed or removed: its waiting deliveries are claimed again, under its new settings. */
  async endpointChanged(endpointId: string): Promise<void> {
    await this.#release(this.#scheduler.takeWaiting(endpointId));
    this.wake();
  }

  /** Lets requests in flight finish for a while, records them, and releases all other deliveries. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#claiming.close();
    await this.#release(this.#scheduler.takeWaiting());
    await this.#scheduler.close(shutdownGraceMs);
    this.#abandoned = true;
    await this.#release([...this.#inFlight]);
    await this.#releases.close();
    await this.#recorder.close();
    await this.#agent.destroy();
  }

  async #send(delivery: Delivery, to: Destination): Promise<SendResult> {
    this.#inFlight.add(delivery);
    const { attempt, result } = await this.#attempt(delivery, to);
    this.#inFlight.delete(delivery);
    // The delivery was released at shutdown: the process that claims it next records its own attempt.
    if (this.#abandoned) return 'failed';
    if (attempt === null) {
      this.#backlog.add(to.endpointId, delivery.priority);
      await this.#release([delivery]);
      return result;
    }
    const recorded = this.#recorder.add(attempt);
    const { url } = to;
    if (attempt.status_code === goneStatus && url !== null)
      void recorded.then(() => this.#options.onGone(to.endpointId, url));
    const { account_id: accountId, status_code: status, duration_ms: durationMs, number, error } = attempt;
    const ids = { accountId, eventId: delivery.eventId, deliveryId: delivery.id };
    const logFields = { ...ids, number, status, durationMs, error };
    if (attempt.delivered) this.#options.logger.debug(logFields, 'delivered');
    else this.#options.logger.info(logFields, 'attempt failed');
    return result;
  }

  /** The attempt is null when none was made. */
  async #attempt(delivery: Delivery, to: Destination): Promise<{ attempt: Attempt | null; result: SendResult }> {
    if (to.channel === 'email') return await this.#options.sendEmail(delivery, to);
    const attempt = await this.#attemptDelivery(delivery, to);
    if (attempt === null) return { attempt, result: 'unsent' };
    return { attempt, result: attempt.delivered ? 'ok' : 'failed' };
  }

  /** Deliveries that are released at the same time share a statement. */
  async #release(deliveries: readonly Delivery[]): Promise<void> {
    try {
      await Promise.all(deliveries.map((delivery) => this.#releases.add(delivery)));
    } catch (err) {
      const message = 'deliveries could not be released; their leases will expire';
      this.#options.logger.warn({ err, deliveries: deliveries.length }, message);
    }
  }

  /** Polls once a second, or when it was woken for it; capacity that became free wakes it to claim what is known to be due. */
  async #pollAndClaim(isClosing: () => boolean): Promise<void> {
    const polls = performance.now() - this.#polledAtMs >= pollIntervalMs;
    try {
      if (polls) {
        this.#polledAtMs = performance.now();
        await this.#poll();
      }
      await this.#claim(isClosing);
    } finally {
      if (polls) dueDeliveriesRead.announce(() => ({}));
    }
  }

  async #poll(): Promise<void> {
    const { database, clock, logger, owner, leaseSeconds } = this.#options;
    const lostTokens = this.#leases.lostTokens();
    const { freed, replicas } = await freeVoidLeases(database, { owner, leaseSeconds, lostTokens });
    if (freed > 0) logger.warn({ deliveries: freed }, 'leases had expired; their deliveries are claimed again');
    this.#rates.setReplicas(replicas);
    const due = await markAndListDue(database, clock.now());
    for (const { endpointId, priority } of due) this.#backlog.add(endpointId, priority);
    const waiting = new Map<string, WaitReason>();
    for (const { endpointId } of due) {
      const reason = this.#scheduler.waitReasonOf(endpointId);
      if (reason !== undefined) waiting.set(endpointId, reason);
    }
    await recordWaitReasons(database, waiting, this.#options.webhooksPerSecond);
  }

  /** Claims as much as there is capacity for, a bounded number at a time. */
  async #claim(isClosing: () => boolean): Promise<void> {
    while (!isClosing()) {
      const limits = this.#backlog.takeNextClaim();
      if (limits.length === 0) return;
      const { clock } = this.#options;
      const lease = this.newLease();
      this.registerLease(lease);
      const { claimed, more } = await claimDeliveries(this.#options, { limits, now: clock.now(), lease });
      // Polling, which declares leases lost, and claiming take turns: this lease is not lost.
      this.#leases.confirm(lease);
      for (const { destination, deliveries } of claimed) this.#scheduler.add(destination, deliveries);
      deliveriesClaimed.announce(() => ({
        deliveryIds: claimed.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)),
      }));
      for (const { endpointId, priority } of more) this.#backlog.add(endpointId, priority);
    }
  }
}
