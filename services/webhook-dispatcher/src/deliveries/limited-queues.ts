import { type EndpointQueue, nextPriorityOf } from './endpoint-queue.ts';
import type { HostRate } from './host-rates.ts';

/**
 * Queues that could start a request if their host's rate allowed it, in the order in which they came. Among the others of their
 * group, all of them would be looked at after each exchange. Let go in the order of their arrival alone, what an automation sends
 * would use up the rate before an event of money that came later (delivery-scheduler.test.ts).
 */
export class LimitedQueues {
  readonly #queues = new Map<HostRate, Set<EndpointQueue>>();

  /** Whether the rate of the queue's host is used up: then the queue waits here. */
  keep(queue: EndpointQueue): boolean {
    const { rate } = queue;
    if (rate === null || rate.available() > 0) return false;
    const limited = this.#queues.get(rate) ?? new Set();
    this.#queues.set(rate, limited.add(queue));
    return true;
  }

  leave(queue: EndpointQueue): void {
    if (this.#queues.size > 0 && queue.rate !== null) this.#queues.get(queue.rate)?.delete(queue);
  }

  /** Takes out as many queues as the rates of their hosts allow by now, those with the most urgent deliveries first. */
  takeAllowed(): EndpointQueue[] {
    const taken: EndpointQueue[] = [];
    for (const [rate, queues] of this.#queues) {
      const urgent = [...queues].sort((a, b) => (nextPriorityOf(a) ?? 3) - (nextPriorityOf(b) ?? 3));
      for (const queue of urgent.slice(0, rate.available())) {
        queues.delete(queue);
        taken.push(queue);
      }
      if (queues.size === 0) this.#queues.delete(rate);
    }
    return taken;
  }
}
