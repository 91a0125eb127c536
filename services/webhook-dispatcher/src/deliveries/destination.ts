import type { Role } from '../destinations/destination-kind.types.ts';
import type { Destination } from './delivery.types.ts';

const columns = ['version', 'role', 'url', 'secret', 'previous_secret', 'previous_secret_until', 'headers', 'channel'];

/**
 * Columns of `endpoints` from which a destination is made. The template of an email is read when it is sent.
 * @param alias of the table, or of a part of the statement that has these columns
 */
export const destinationColumns = (alias: string): string => columns.map((column) => `${alias}.${column}`).join(', ');

export interface DestinationRow {
  readonly version: number;
  readonly role: Role;
  readonly url: string | null;
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_secret_until: Date | null;
  readonly headers: string | null;
  readonly channel: Destination['channel'];
}

export function destinationOf(endpointId: string, row: DestinationRow): Destination {
  const { version, url, secret, headers, channel } = row;
  const previous =
    row.previous_secret === null || row.previous_secret_until === null
      ? null
      : { secret: row.previous_secret, untilMs: row.previous_secret_until.getTime() };
  return { endpointId, version, url, secret, previous, headers, channel };
}
