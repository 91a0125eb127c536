/** More have no room beside each other. */
const ticksMax = 10;

const isMonday = (date: string): boolean => new Date(date).getUTCDay() === 1;
/** Of a day or a month: whether one of these months begins with it. */
const begins =
  (months: RegExp) =>
  (date: string): boolean =>
    months.test(date.slice(4, 7)) && (date.length === 7 || date.endsWith('-01'));

/** What a point of a chart is the beginning of, from the finest to the coarsest: itself, a week, a month, a quarter, a year. */
const beginnings: readonly ((date: string) => boolean)[] = [
  () => true,
  (date) => date.length === 10 && isMonday(date),
  begins(/-/),
  begins(/-(?:01|04|07|10)/),
  begins(/-01/),
];

/**
 * Where the axis of a chart names its dates: at each point of a few, at the Mondays of some weeks, and at the first of each month, quarter or
 * year of more.
 * @param dates `YYYY-MM-DD` or `YYYY-MM`, each day or month once, in order
 * @returns their places in `dates`, two at least where there are two
 */
export function dateTicks(dates: readonly string[]): readonly number[] {
  const places = dates.map((_, place) => place);
  const byGrain = beginnings.map((isOne) => places.filter((place) => isOne(dates[place] ?? '')));
  const found = byGrain.find(({ length }) => length > 0 && length <= ticksMax) ?? byGrain.at(-1) ?? [];
  return found.length > 1 ? found : places.filter((place) => place === 0 || place === places.length - 1);
}
