import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { createWaker } from '@app/service-kit/waker';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { createAttempting } from './attempt-delivery.ts';
import { Backlog } from './backlog.ts';
import { claimDeliveries, endpointsWithDue, freeExpired, giveBack } from './claim-deliveries.ts';
import type { Delivery, Destination, Lease } from './delivery.types.ts';
import { DeliveryScheduler } from './delivery-scheduler.ts';
import { createGuardedAgent } from './guarded-agent.ts';
import { Leases } from './leases.ts';
import { createRecorder, type Recorder } from './record-attempts.ts';

export interface DispatcherOptions {
  readonly database: Database;
  readonly owner: number;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly allowLoopback: boolean;
  readonly attemptTimeoutMs: number;
  readonly leaseSeconds: number;
  /** Nothing was delivered to the endpoint for days. */
  readonly failing: (endpointId: string) => void;
}

/** Retries come due without anyone saying so, and leases expire: someone looks every second. */
const pollMs = 1_000;
/** Deliveries given back in one statement. */
const giveBackMax = 1_000;
/** How long requests under way may take to finish at shutdown. */
const finishWithinMs = 5_000;

/** What one endpoint gets of a stored batch. */
export interface Share {
  readonly destination: Destination;
  readonly leased: readonly Delivery[];
  /** More were stored as pending. */
  readonly overflow: boolean;
}

/**
 * Gets stored deliveries to their receivers. What is new comes straight from the consumer, already on lease; what is
 * due again, did not fit, or was left by a dead process is claimed from the database as endpoints have room.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #agent;
  readonly #attempt;
  readonly #recorder: Recorder;
  readonly #leases: Leases;
  readonly #scheduler: DeliveryScheduler;
  readonly #backlog: Backlog;
  readonly #returning: Batcher<Delivery, void>;
  readonly #waker = createWaker();
  readonly #underWay = new Set<Delivery>();
  readonly #running: Promise<void>;
  #lookNow = true;
  #closing = false;
  #abandoned = false;

  constructor(options: DispatcherOptions) {
    const { database, logger, owner, leaseSeconds } = options;
    this.#options = options;
    this.#leases = new Leases(owner, leaseSeconds);
    this.#agent = createGuardedAgent(options);
    this.#attempt = createAttempting({ ...options, agent: this.#agent });
    this.#recorder = createRecorder({ database, logger, leaseMs: leaseSeconds * 1_000, failing: options.failing });
    this.#scheduler = new DeliveryScheduler({
      attemptTimeoutMs: options.attemptTimeoutMs,
      send: (delivery, to) => this.#send(delivery, to),
      giveBack: (endpointId, deliveries) => {
        this.#backlog.note(endpointId);
        void this.#giveBack(deliveries);
      },
      hasRoom: (endpointId) => {
        if (this.#backlog.hasRoom(endpointId)) this.#waker.wake();
      },
    });
    this.#backlog = new Backlog(this.#scheduler);
    this.#returning = createBatcher<Delivery, void>({
      maxBatch: giveBackMax,
      maxWaiting: Number.POSITIVE_INFINITY,
      run: async (deliveries) => {
        await giveBack(database, deliveries);
        return deliveries.map(() => ({ ok: true, value: undefined }));
      },
    });
    this.#running = this.#keepClaiming();
  }

  newLease(): Lease {
    return this.#leases.make();
  }

  /** Deliveries are about to be stored under the lease. Without an `accept` soon after they are freed again. */
  expect(lease: Lease): void {
    this.#leases.expect(lease);
  }

  /** How many new deliveries of the endpoint may be stored as taken; the others wait behind those in the database. */
  room(endpointId: string): number {
    if (this.#closing || this.#backlog.has(endpointId)) return 0;
    const { free } = this.#scheduler.roomOfGroup(this.#scheduler.groupOf(endpointId));
    return Math.min(free, this.#scheduler.roomOf(endpointId));
  }

  /** Takes over the deliveries of a lease whose transaction is committed. */
  accept(lease: Lease, shares: readonly Share[]): void {
    if (!this.#leases.takeOver(lease)) {
      void this.#giveBack(shares.flatMap((share) => share.leased));
      return;
    }
    for (const { destination, leased, overflow } of shares) {
      this.#scheduler.add(destination, leased);
      if (overflow) this.#backlog.note(destination.endpointId);
    }
    if (shares.some((share) => share.overflow)) this.#waker.wake();
  }

  /** Something became due outside of the ordinary: look now. */
  wake(): void {
    this.#lookNow = true;
    this.#waker.wake();
  }

  /** The endpoint was changed or removed: what waits for it here is taken anew, under its new settings. */
  async endpointChanged(endpointId: string): Promise<void> {
    await this.#giveBack(this.#scheduler.empty(endpointId));
    this.wake();
  }

  /** Lets requests under way finish for a while, records them, and gives the rest back. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#waker.wake();
    await this.#running;
    await this.#giveBack(this.#scheduler.empty());
    await this.#scheduler.close(finishWithinMs);
    this.#abandoned = true;
    await this.#giveBack([...this.#underWay]);
    await this.#returning.close();
    await this.#recorder.close();
    await this.#agent.destroy();
  }

  async #send(delivery: Delivery, to: Destination): Promise<boolean> {
    this.#underWay.add(delivery);
    const attempt = await this.#attempt(delivery, to);
    this.#underWay.delete(delivery);
    // Given back already: whoever takes it next tells how it went.
    if (this.#abandoned) return true;
    void this.#recorder.add(attempt);
    const { account_id: accountId, status_code: status, duration_ms: durationMs, number, error } = attempt;
    const about = { accountId, eventId: delivery.eventId, deliveryId: delivery.id, number, status, durationMs, error };
    if (attempt.delivered) this.#options.logger.debug(about, 'webhook delivered');
    else this.#options.logger.info(about, 'webhook attempt failed');
    return !attempt.delivered;
  }

  /** What is given back at the same time shares a statement. */
  async #giveBack(deliveries: readonly Delivery[]): Promise<void> {
    try {
      await Promise.all(deliveries.map((delivery) => this.#returning.add(delivery)));
    } catch (err) {
      this.#options.logger.warn({ err, deliveries: deliveries.length }, 'not given back; their leases will expire');
    }
  }

  async #keepClaiming(): Promise<void> {
    let lookedAtMs = Number.NEGATIVE_INFINITY;
    while (!this.#closing) {
      try {
        if (this.#lookNow || performance.now() - lookedAtMs >= pollMs) {
          this.#lookNow = false;
          lookedAtMs = performance.now();
          await this.#look();
        }
        await this.#claim();
      } catch (err) {
        if (!this.#closing) this.#options.logger.warn({ err }, 'due deliveries could not be taken; trying again');
      }
      if (!this.#lookNow) await this.#waker.sleep(Math.max(1, lookedAtMs + pollMs - performance.now()));
    }
  }

  async #look(): Promise<void> {
    const { database, clock, logger, owner, leaseSeconds } = this.#options;
    const freed = await freeExpired(database, { owner, leaseSeconds, lostTokens: this.#leases.lostTokens() });
    if (freed > 0) logger.warn({ deliveries: freed }, 'void leases; their deliveries are taken anew');
    for (const id of await endpointsWithDue(database, clock.now())) this.#backlog.note(id);
  }

  /** Takes what there is room for, a bounded number at a time. */
  async #claim(): Promise<void> {
    for (let rooms = this.#backlog.takeRooms(); rooms.size > 0 && !this.#closing; rooms = this.#backlog.takeRooms()) {
      const { database, clock } = this.#options;
      const lease = this.newLease();
      this.expect(lease);
      const { taken, rows } = await claimDeliveries(database, { rooms, now: clock.now(), lease });
      // Looking for lost leases and claiming take turns: this one cannot be lost.
      this.#leases.takeOver(lease);
      for (const { destination, deliveries } of taken) this.#scheduler.add(destination, deliveries);
      for (const [endpointId, room] of rooms) if ((rows.get(endpointId) ?? 0) >= room) this.#backlog.note(endpointId);
    }
  }
}
