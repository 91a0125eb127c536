import type { ServiceName } from './services.ts';

/** Who asks whom and who consumes whose stream; the NATS permissions of every service follow from it. */
export interface ServiceLinks {
  /** Services whose requests it sends. */
  readonly asks: readonly ServiceName[];
  /** Services whose events it consumes. */
  readonly consumes: readonly ServiceName[];
  /** Whether it has a stream of its own. */
  readonly publishes: boolean;
}

export const topology: Record<ServiceName, ServiceLinks> = {
  gateway: {
    asks: ['catalog', 'checkout', 'billing', 'affiliate', 'metrics', 'webhook-dispatcher'],
    consumes: [],
    publishes: false,
  },
  catalog: { asks: [], consumes: [], publishes: true },
  checkout: { asks: ['catalog', 'affiliate'], consumes: [], publishes: true },
  billing: { asks: [], consumes: ['checkout'], publishes: true },
  affiliate: { asks: [], consumes: ['checkout'], publishes: true },
  metrics: { asks: ['catalog'], consumes: ['checkout', 'billing'], publishes: false },
  'webhook-dispatcher': { asks: [], consumes: ['checkout', 'catalog', 'affiliate'], publishes: false },
};
