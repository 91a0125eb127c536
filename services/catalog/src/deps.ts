import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';

/** What use cases work with. */
export interface CatalogDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Events were committed: they may go out now. */
  readonly wakeRelay: () => void;
}
