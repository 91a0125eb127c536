import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { SecretBox } from '../secrets/secret-box.ts';

export interface EndpointDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly allowLoopback: boolean;
  /** Applies a change to the deliveries that wait for the endpoint, or to the first of many. */
  readonly applyChange: (endpointId: string) => Promise<void>;
  /** Announces to every replica that the endpoint was changed or removed. */
  readonly announce: (endpointId: string) => void;
}
