import { createArrivals } from '@app/testing/arrivals';
import { timePasses } from '@app/testing/time-passes';
import type { Answer, Seller } from './seller.ts';

/** An order that was answered 200, and how many requests it took under its Idempotency-Key. */
interface Placed {
  readonly orderId: string;
  readonly slug: string;
  readonly affiliate: boolean;
  readonly attempts: number;
}

export interface PouringOrders {
  /** Waits until as many more orders were answered as from now. */
  untilMoreAnswered(orders: number, message: string): Promise<void>;
  /** Lets every order get its answer and returns all of them. */
  stop(): Promise<{ placed: readonly Placed[]; refused: { status: number }[] }>;
}

/** Refusals that say nothing of the order: the caller repeats it under the same key. */
const repeatedStatuses = [409, 503];
const pauseMs = 100;

interface PouringOptions {
  readonly connections: number;
  /** How long each connection rests after an order. */
  readonly restMs: number;
  readonly slugs: readonly string[];
  readonly affiliateCode: string;
}

/**
 * Posts orders without end, as callers do that want each recorded once: a caller without an answer repeats the request under the same
 * Idempotency-Key. Slugs take turns, every fourth order names the affiliate, every thirteenth must be refused.
 */
export function postOrders(seller: Seller, options: PouringOptions): PouringOrders {
  const placed = createArrivals<Placed>();
  const refused: { status: number }[] = [];
  let stopping = false;
  let next = 0;

  async function post(n: number): Promise<void> {
    const known = n % 13 !== 0;
    const slug = options.slugs[n % options.slugs.length] ?? '';
    const affiliate = n % 4 === 0;
    const body = {
      productSlug: known ? slug : 'no-such-product',
      email: `buyer-${n}@example.com`,
      ...(affiliate ? { affiliateCode: options.affiliateCode } : {}),
    };
    let attempts = 0;
    const request = (): Promise<Answer | undefined> => {
      attempts += 1;
      const headers = { 'idempotency-key': `order-${n}` };
      return seller.call('POST', '/api/v1/orders', { body, headers }).catch(() => undefined);
    };
    let answer = await request();
    while (answer === undefined || repeatedStatuses.includes(answer.status)) {
      await timePasses(pauseMs);
      answer = await request();
    }
    if (answer.status === 200) placed.push({ orderId: answer.json.orderId, slug, affiliate, attempts });
    else refused.push({ status: answer.status });
  }

  const work = async (): Promise<void> => {
    while (!stopping) {
      await post(next++);
      await timePasses(options.restMs);
    }
  };
  const working = Promise.all(Array.from({ length: options.connections }, work));
  // A failure is reported by `stop`; until then it must not count as unhandled.
  working.catch(() => undefined);
  return {
    untilMoreAnswered: async (orders, message) => {
      await placed.wait(orders, { from: placed.list.length, what: message });
    },
    stop: async () => {
      stopping = true;
      await working;
      return { placed: placed.list, refused };
    },
  };
}
