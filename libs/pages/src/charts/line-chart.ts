import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type Html, html } from '../html.ts';
import { dateTicks } from './date-ticks.ts';

interface Point {
  /** `YYYY-MM-DD` or `YYYY-MM`, UTC. */
  readonly date: string;
  readonly value: number;
}

interface ChartOptions {
  /** What is shown, and of when. */
  readonly title: string;
  /** In the order of their dates. */
  readonly points: readonly Point[];
  /** The span before, point by point; drawn behind, as far as there are points. */
  readonly before?: readonly Point[] | undefined;
  readonly value: (value: number) => string;
  /** How the axis says it; as `value` unless given. */
  readonly tick?: ((value: number) => string) | undefined;
  readonly date: (date: string) => string;
  /** How the axis says it; as `date` unless given. */
  readonly dateTick?: ((date: string) => string) | undefined;
  /** Where a date of the table leads. */
  readonly href?: (date: string) => string;
}

const texts = {
  table: 'Show as a table',
  date: 'Date (UTC)',
  value: 'Value',
  now: 'This span',
  before: 'The span before',
  was: (value: string) => `${value} before`,
  none: 'Your numbers are drawn here after the first sale.',
} as const;

/** Its own units: the drawing is stretched to the width of the page, and its lines are not. */
const width = 100;
const height = 100;
const ticksWanted = 4;

const rounded = (units: number): number => Math.round(units * 100) / 100;

/** A line over time, drawn by the server; its table has the same numbers. */
export function lineChart(options: ChartOptions): Html {
  const { title, points, value, tick = value, date, dateTick = date } = options;
  if (points.length < 2) return html`<p class="quiet">${texts.none}</p>`;
  const earlier = (options.before ?? []).slice(0, points.length);
  const values = [...points, ...earlier].map((point) => point.value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const isFlat = low === high;
  const y = scaleLinear([low, isFlat ? 1 : high], [height, 0]).nice(ticksWanted);
  const x = scaleLinear([0, points.length - 1], [0, width]);
  const xAt = (place: number) => rounded(x(place));
  // Of cents and of orders there are no parts.
  const areWhole = values.every(Number.isInteger);
  const ticks = (isFlat ? [0] : y.ticks(ticksWanted))
    .filter((each) => !areWhole || Number.isInteger(each))
    .toReversed();
  const dates = dateTicks(points.map((point) => point.date));
  const at = (_: Point, index: number) => x(index);
  const stroke = line<Point>(at, (point) => y(point.value))([...points]);
  const strokeBefore = earlier.length < 2 ? null : line<Point>(at, (point) => y(point.value))([...earlier]);
  const fill = area<Point>(at, y(0), (point) => y(point.value))([...points]);
  const shown: Shown = { ...options, earlier: strokeBefore === null ? null : earlier };
  return html`<figure class="chart"><figcaption class="label">${title}</figcaption>
<div class="plot"><div class="ticks" aria-hidden="true">${ticks.map((each) => html`<span>${tick(each)}</span>`)}</div>
<div class="drawn"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}">${ticks.map(
    (each) => html`<line class="grid" x1="0" x2="${width}" y1="${y(each)}" y2="${y(each)}"></line>`,
  )}${dates.map((place) => html`<line class="grid" x1="${xAt(place)}" x2="${xAt(place)}" y1="0" y2="${height}"></line>`)}${strokeBefore !== null && html`<path class="series before" d="${strokeBefore}"></path>`}<path class="below" d="${fill}"></path><path class="series" d="${stroke}"></path></svg>${crosshair(shown, y)}</div>
<svg class="dates" aria-hidden="true">${dates.map((place, index) => dateLabel(dateTick(points[place]?.date ?? ''), xAt(place), dates.length > 2 && index % 2 === 1))}</svg></div>
${strokeBefore !== null && html`<p class="key small quiet"><span class="now">${texts.now}</span> <span class="before">${texts.before}</span></p>`}${valueTable(shown)}</figure>`;
}

/** A narrow page has room for every second one. @param at from 0 to `width` */
const dateLabel = (text: string, at: number, isBetween: boolean): Html =>
  html`<text class="${isBetween ? 'between' : null}" x="${at}%" y="15" text-anchor="${anchorOf(at)}">${text}</text>`;

function anchorOf(at: number): string {
  if (at === 0) return 'start';
  return at === width ? 'end' : 'middle';
}

interface Shown extends ChartOptions {
  /** The span before; null where it is not drawn. */
  readonly earlier: readonly Point[] | null;
}

/**
 * Where the pointer is, a line with the values of its date, by style alone: each point has the strip that is nearest to it, and those at the
 * ends have half of one. Readers who have no pointer have the table.
 */
function crosshair({ points, earlier, value, date }: Shown, y: (value: number) => number): Html {
  const dot = (kind: string, point: Point | undefined) =>
    point !== undefined && html`<path class="${kind}" d="M0 ${rounded(y(point.value))}h.001"></path>`;
  const strip = (point: Point, index: number) => {
    const was = earlier?.[index];
    return html`<li class="${index < points.length / 2 ? null : 'late'}"><svg viewBox="0 0 1 ${height}" preserveAspectRatio="none"><path class="at" d="M0 0V${height}"></path>${dot('before', was)}${dot('now', point)}</svg><p><b>${date(point.date)}</b><span class="now">${value(point.value)}</span>${was !== undefined && html`<span class="before">${texts.was(value(was.value))}</span>`}</p></li>`;
  };
  return html`<ol class="crosshair" aria-hidden="true">${points.map(strip)}</ol>`;
}

function valueTable({ title, points, earlier, value, date, href }: Shown): Html {
  const shownDate = (at: string) => (href === undefined ? date(at) : html`<a href="${href(at)}">${date(at)}</a>`);
  const was = (index: number) => (earlier?.[index] === undefined ? '' : value(earlier[index].value));
  const rows = points.map(
    (point, index) =>
      html`<tr><th scope="row">${shownDate(point.date)}</th><td>${value(point.value)}</td>${earlier !== null && html`<td>${was(index)}</td>`}</tr>`,
  );
  return html`<details class="fold"><summary>${texts.table}</summary><table class="lines"><caption class="unseen">${title}</caption><thead><tr><th scope="col">${texts.date}</th><th scope="col">${texts.value}</th>${earlier !== null && html`<th scope="col">${texts.before}</th>`}</tr></thead><tbody>${rows}</tbody></table></details>`;
}
