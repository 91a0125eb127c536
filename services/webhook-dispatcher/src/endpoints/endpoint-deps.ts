import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { SecretBox } from './secret-box.ts';

export interface EndpointDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly allowLoopback: boolean;
  /** Settles the waiting deliveries of an endpoint that was switched or removed, or the first of many. */
  readonly settle: (endpointId: string) => Promise<void>;
  /** Announces to every replica that the endpoint was changed or removed. */
  readonly announce: (endpointId: string) => void;
}
