import type { ColumnsOf } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import type { Role } from '../destinations/destination-kind.types.ts';
import type { Destination } from './delivery.types.ts';

export const destinationTypes: ColumnsOf<DestinationRow> = {
  version: 'int4',
  role: 'text',
  url: 'text',
  secret: 'text',
  previous_secret: 'text',
  previous_secret_until: 'timestamptz',
  headers: 'text',
  channel: 'text',
};

/**
 * Columns of `endpoints` from which a destination is made. The template of an email is read when it is sent.
 * @param alias of the table, or of a part of the statement that has these columns
 */
export const destinationColumns = (alias: string): string => namesOf(destinationTypes, alias);

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
