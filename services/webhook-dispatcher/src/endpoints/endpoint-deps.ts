import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { SecretBox } from './secret-box.ts';

export interface EndpointDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly allowLoopback: boolean;
  /** Settles what waits for an endpoint that was switched or removed, or begins to. */
  readonly settle: (endpointId: string) => Promise<void>;
  /** Tells every replica that the endpoint was changed or removed. */
  readonly announce: (endpointId: string) => void;
}
