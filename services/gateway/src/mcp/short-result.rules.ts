import { excerpt } from '../problems/excerpt.rules.ts';

/** A result as a tool returns it. */
export interface ShortResult {
  readonly value: Record<string, unknown>;
  /** What was left out, in words for a model; null when nothing was. */
  readonly note: string | null;
  /** Of `data`. */
  readonly rowsLeftOut: number;
}

/** Lengths at which texts are cut, the first one that is enough. */
const textLengths = [1_000, 200];

/**
 * Cuts a result to a size: texts to their beginnings, then rows from the end of its longest list (months from its
 * beginning), and lists within rows, or within the parts of one thing, where a single one would not fit. A list that lost rows says `has_more`, and its last id
 * leads on.
 * @param bytes of the value as JSON, which the caller knows: a long one is not serialized again to measure it
 * @param bytesMax of the result: it holds the value as a structure and again as text, with its quotes escaped
 */
export function shortResult(value: Record<string, unknown>, bytes: number, bytesMax: number): ShortResult {
  if (bytes * 2 <= bytesMax && sizeOf(value) <= bytesMax) return { value, note: null, rowsLeftOut: 0 };
  let short = value;
  for (const length of bytes > bytesMax * 10 ? textLengths.slice(-1) : textLengths) {
    short = withShortTexts(value, length) as Record<string, unknown>;
    if (sizeOf(short) <= bytesMax) return { value: short, note: 'Long texts end in “…”.', rowsLeftOut: 0 };
  }
  const whole = dropRows(short, bytesMax);
  // One row with long lists of its own may be too much already, and an empty list would look like nothing.
  const few = isEmptied(short, whole.value) || sizeOf(whole.value) > bytesMax;
  const inFew = few ? withFewInner(short) : short;
  const fewer = few ? dropRows(inFew, bytesMax) : whole;
  // Of several lists of long rows each has to show one.
  const dropped = isEmptied(short, fewer.value) ? dropRows(shortest(inFew), bytesMax) : fewer;
  const names = Object.entries(dropped.counts).map(([name, count]) => `${count} of ${name}`);
  const inner = few ? ` Lists within rows show ${innerRowsMax} at most.` : '';
  const left = names.length === 0 ? '' : ` Left out: ${names.join(', ')}.`;
  return { value: dropped.value, note: `Long texts end in “…”.${inner}${left}`, rowsLeftOut: dropped.counts.data ?? 0 };
}

const innerRowsMax = 3;

const shortest = (value: Record<string, unknown>) => withShortTexts(value, 60) as Record<string, unknown>;

const isEmptied = (before: Record<string, unknown>, after: Record<string, unknown>): boolean =>
  Object.entries(after).some(
    ([name, rows]) => Array.isArray(rows) && rows.length === 0 && (before[name] as Rows).length > 0,
  );

const withFewInner = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([name, rows]) => [
      name,
      Array.isArray(rows) ? rows.map(withFewRows) : withFewRows(rows),
    ]),
  );

function withFewRows(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, innerRowsMax).map(withFewRows);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withFewRows(part)]));
}

function sizeOf(value: unknown): number {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

function withShortTexts(value: unknown, length: number): unknown {
  if (typeof value === 'string') return excerpt(value, length);
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withShortTexts(part, length)]));
}

type Rows = readonly unknown[];

/** Each list gets an equal share of the room; what one does not need is for the others, the shortest list first. */
function dropRows(value: Record<string, unknown>, bytesMax: number) {
  const lists = Object.entries(value).filter((entry): entry is [string, Rows] => Array.isArray(entry[1]));
  const others = Object.entries(value).filter(([, part]) => !Array.isArray(part));
  const sized = lists.map(([name, rows]) => ({ name, rows, sizes: rows.map(rowSize) }));
  const totalOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);
  sized.sort((one, other) => totalOf(one.sizes) - totalOf(other.sizes));
  const kept: Record<string, Rows> = {};
  const counts: Record<string, number> = {};
  let room =
    bytesMax - sizeOf(Object.fromEntries([...others, ...lists.map(([name]) => [name, []]), ['has_more', true]]));
  for (const [index, { name, rows, sizes }] of sized.entries()) {
    const fromEnd = isSeries(rows);
    const share = room / (sized.length - index);
    const fitting = countThatFits(fromEnd ? sizes.toReversed() : sizes, share);
    kept[name] = fromEnd ? rows.slice(rows.length - fitting) : rows.slice(0, fitting);
    room -= totalOf(fromEnd ? sizes.slice(rows.length - fitting) : sizes.slice(0, fitting));
    if (fitting < rows.length) counts[name] = rows.length - fitting;
  }
  const cut = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, kept[name] ?? part]));
  return { value: counts.data === undefined ? cut : { ...cut, has_more: true }, counts };
}

/** With the comma before it, twice. */
const rowSize = (row: unknown): number => sizeOf(row) + 2;

function countThatFits(sizes: readonly number[], room: number): number {
  let left = room;
  const beyond = sizes.findIndex((size) => {
    left -= size;
    return left < 0;
  });
  return beyond === -1 ? sizes.length : beyond;
}

/** Months in rising order: the last ones matter more. */
function isSeries(rows: Rows): boolean {
  const [first] = rows;
  return typeof first === 'object' && first !== null && 'month' in first;
}
