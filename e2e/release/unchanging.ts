import type { ReleaseData } from './release-data.ts';

interface Entry {
  readonly id: string;
  readonly order_id?: string;
  readonly status?: string;
  /** Of an affiliate. */
  readonly balances?: readonly Balance[];
}

interface Balance {
  readonly pending_cents: number;
  readonly due_cents: number;
}

/** As many entries may be new in a list: the ends of what was open. */
const newMax = 10;

/** Orders of the release whose hold was open: a later start ends the hold, and with it their payments. */
export function openOrders({ responses }: ReleaseData): ReadonlySet<string> {
  const { data } = responses['/api/v1/orders?limit=100'] as { data: Entry[] };
  return new Set(data.filter(({ status }) => status === 'authorized').map(({ id }) => id));
}

/** What of a response stays as it is however much later it is read: of a long list, the entries that are about no open order. */
export function unchanging(response: unknown, open: ReadonlySet<string>): unknown {
  const undated = withoutDueTimes(response);
  if (!isLong(undated)) return undated;
  return undated.data.filter(({ id, order_id = id }) => !open.has(order_id)).slice(0, -newMax);
}

/** The entries of a long list that were there before; any other response whole. */
export function thoseOf(before: unknown, response: unknown): unknown {
  const undated = withoutDueTimes(response);
  if (!isLong(undated) || !Array.isArray(before)) return undated;
  const ids = new Set(before.map(({ id }: Entry) => id));
  return undated.data.filter(({ id }) => ids.has(id));
}

/** A pending commission becomes due when its hold is over; what is owed in all stays. */
function withoutDueTimes(response: unknown): unknown {
  if (!isList(response)) return response;
  const data = response.data.map((entry) =>
    entry.balances === undefined ? entry : { ...entry, balances: entry.balances.map(owed) },
  );
  return { ...response, data };
}

const owed = ({ pending_cents, due_cents, ...rest }: Balance) => ({ ...rest, owed_cents: pending_cents + due_cents });

const isList = (response: unknown): response is { data: Entry[] } =>
  Array.isArray((response as { data?: unknown } | null)?.data);

const isLong = (response: unknown): response is { data: Entry[] } => isList(response) && response.data.length > newMax;
