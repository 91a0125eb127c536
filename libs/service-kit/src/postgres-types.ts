import pg from 'pg';

// Type numbers of pg_type.
const oid = {
  int8: 20,
  int8Array: 1016,
  textArray: 1009,
  date: 1082,
  timestamp: 1114,
  interval: 1186,
  dateArray: 1182,
  timestampArray: 1115,
  intervalArray: 1187,
} as const;

/**
 * How columns come back, for the ORM and for statements alike: bigint as number (money is within the safe range, beyond it
 * the query fails), timestamptz as Date, and date, timestamp and interval as text, because a Date would read them in the
 * machine's time zone. numeric, which sum(bigint) is, stays text: cast it.
 */
export function columnTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  const textArray = pg.types.getTypeParser(oid.textArray as number) as (text: string) => Array<string | null>;
  types.setTypeParser(oid.int8, safeInteger);
  types.setTypeParser(oid.int8Array, (text) =>
    textArray(text).map((item) => (item === null ? null : safeInteger(item))),
  );
  for (const type of [oid.date, oid.timestamp, oid.interval]) types.setTypeParser(type, (text) => text);
  for (const type of [oid.dateArray, oid.timestampArray, oid.intervalArray]) types.setTypeParser(type, textArray);
  return types;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond the safe range of a number`);
  return value;
}
