import { createWaker } from '@app/messaging/waker';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { createAttempting } from './attempt-delivery.ts';
import { claimDeliveries, endpointsWithDue, freeExpired, giveBack } from './claim-deliveries.ts';
import type { Delivery, Destination, Lease } from './delivery.types.ts';
import { createGuardedAgent } from './guarded-agent.ts';
import { Lanes } from './lanes.ts';
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
}

/** Retries come due without anyone saying so, and leases expire: someone looks every second. */
const pollMs = 1_000;
/** Deliveries of one claim, all endpoints together: with bodies of 100 KiB still a bounded answer. */
const claimMax = 1_000;
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
  readonly #lanes: Lanes;
  readonly #waker = createWaker();
  readonly #underWay = new Set<Delivery>();
  /** Endpoints that were seen to have something due and are not in a lane with a backlog yet. */
  readonly #due = new Set<string>();
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
    this.#recorder = createRecorder({ database, logger, leaseMs: leaseSeconds * 1_000 });
    this.#lanes = new Lanes({
      attemptTimeoutMs: options.attemptTimeoutMs,
      send: (delivery, to) => this.#send(delivery, to),
      giveBack: (deliveries) => void this.#giveBack(deliveries),
      hasRoom: () => this.#waker.wake(),
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
    return this.#closing || this.#lanes.hasBacklog(endpointId) ? 0 : this.#lanes.room(endpointId);
  }

  /** Takes over the deliveries of a lease whose transaction is committed. */
  accept(lease: Lease, shares: readonly Share[]): void {
    if (!this.#leases.takeOver(lease)) {
      void this.#giveBack(shares.flatMap((share) => share.leased));
      return;
    }
    for (const { destination, leased, overflow } of shares) {
      this.#lanes.add(destination, leased);
      if (overflow) this.#lanes.setBacklog(destination.endpointId, true);
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
    await this.#giveBack(this.#lanes.empty(endpointId));
    this.wake();
  }

  /** Lets requests under way finish for a while, records them, and gives the rest back. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#waker.wake();
    await this.#running;
    await this.#giveBack(this.#lanes.empty());
    await this.#lanes.close(finishWithinMs);
    this.#abandoned = true;
    await this.#giveBack([...this.#underWay]);
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

  async #giveBack(deliveries: readonly Delivery[]): Promise<void> {
    try {
      await giveBack(this.#options.database, deliveries);
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
    for (const id of await endpointsWithDue(database, clock.now())) this.#due.add(id);
  }

  /** Takes what there is room for, a bounded number at a time. */
  async #claim(): Promise<void> {
    for (let rooms = this.#roomsToFill(); rooms.size > 0 && !this.#closing; rooms = this.#roomsToFill()) {
      const { database, clock } = this.#options;
      const lease = this.newLease();
      this.expect(lease);
      const { taken, rows } = await claimDeliveries(database, { rooms, now: clock.now(), lease });
      // Looking for lost leases and claiming take turns: this one cannot be lost.
      this.#leases.takeOver(lease);
      for (const [endpointId, room] of rooms) {
        const more = (rows.get(endpointId) ?? 0) >= room;
        this.#lanes.setBacklog(endpointId, more);
        if (!more) this.#due.delete(endpointId);
      }
      for (const { destination, deliveries } of taken) {
        this.#lanes.add(destination, deliveries);
        if (this.#due.delete(destination.endpointId)) this.#lanes.setBacklog(destination.endpointId, true);
      }
    }
  }

  #roomsToFill(): Map<string, number> {
    const rooms = new Map<string, number>();
    let left = claimMax;
    for (const endpointId of [...this.#due, ...this.#lanes.withRoom()]) {
      const room = Math.min(left, this.#lanes.room(endpointId));
      if (room > 0) {
        rooms.set(endpointId, room);
        left -= room;
      } else if (left > 0) {
        // Full: the lane asks for more when it has room again.
        this.#lanes.setBacklog(endpointId, true);
        this.#due.delete(endpointId);
      }
    }
    return rooms;
  }
}
