import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';

/** What use cases work with. */
export interface AffiliateDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Called after a commit with events. */
  readonly wakeRelay: () => void;
}
