import type { Destination } from './delivery.types.ts';

/** Columns of `endpoints e` from which a destination is made. The template of an email is read when it is sent. */
export const destinationColumns =
  'e.version, e.role, e.url, e.secret, e.previous_secret, e.previous_secret_until, e.headers, e.channel';

export interface DestinationRow {
  readonly version: number;
  readonly role: Destination['role'];
  readonly url: string | null;
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_secret_until: Date | null;
  readonly headers: string | null;
  readonly channel: Destination['channel'];
}

export function destinationOf(endpointId: string, row: DestinationRow): Destination {
  const { version, role, url, secret, headers, channel } = row;
  const previous =
    row.previous_secret === null || row.previous_secret_until === null
      ? null
      : { secret: row.previous_secret, untilMs: row.previous_secret_until.getTime() };
  return { endpointId, version, role, url, secret, previous, headers, channel };
}
