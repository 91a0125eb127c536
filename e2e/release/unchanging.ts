import type { ReleaseData } from './release-data.ts';

interface Entry {
  readonly id: string;
  readonly order_id?: string;
  readonly status?: string;
}

/** As many entries may be new in a list: the ends of what was open. */
const newMax = 10;

/** Orders of the release whose hold was open: a later start ends the hold, and with it their payments. */
export function openOrders({ responses }: ReleaseData): ReadonlySet<string> {
  const { data } = responses['/api/v1/orders?limit=100'] as { data: Entry[] };
  return new Set(data.filter(({ status }) => status === 'authorized').map(({ id }) => id));
}

/** What of a response stays as it is however much later it is read: of a list, the entries that are about no open order. */
export function unchanging(response: unknown, open: ReadonlySet<string>): unknown {
  if (!isList(response)) return response;
  return response.data.filter(({ id, order_id = id }) => !open.has(order_id)).slice(0, -newMax);
}

/** The entries of a list that were there before; any other response as it is. */
export function thoseOf(before: unknown, response: unknown): unknown {
  if (!isList(response) || !Array.isArray(before)) return response;
  const ids = new Set(before.map(({ id }: Entry) => id));
  return response.data.filter(({ id }) => ids.has(id));
}

const isList = (response: unknown): response is { data: Entry[] } =>
  Array.isArray((response as { data?: unknown } | null)?.data) &&
  (response as { data: unknown[] }).data.length > newMax;
