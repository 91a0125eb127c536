import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type Html, html } from '../html.ts';

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
  readonly value: (value: number) => string;
  readonly date: (date: string) => string;
  /** Where a date of the table leads. */
  readonly href?: (date: string) => string;
}

const texts = {
  table: 'Show as a table',
  date: 'Date (UTC)',
  value: 'Value',
  none: 'Your numbers are drawn here after the first sale.',
} as const;

/** Its own units: the drawing is stretched to the width of the page, and its lines are not. */
const width = 100;
const height = 100;
const ticksWanted = 4;

/** A line over time, drawn by the server; its table has the same numbers. */
export function lineChart({ title, points, value, date, href }: ChartOptions): Html {
  if (points.length < 2) return html`<p class="quiet">${texts.none}</p>`;
  const values = points.map((point) => point.value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = scaleLinear()
    .domain([low, low === high ? 1 : high])
    .nice(ticksWanted)
    .range([height, 0]);
  const x = scaleLinear()
    .domain([0, points.length - 1])
    .range([0, width]);
  // Of cents and of orders there are no parts.
  const areWhole = values.every(Number.isInteger);
  const ticks = y
    .ticks(ticksWanted)
    .filter((tick) => !areWhole || Number.isInteger(tick))
    .toReversed();
  const at = (_: Point, index: number) => x(index);
  const stroke = line<Point>(at, (point) => y(point.value))([...points]);
  const fill = area<Point>(at, y(0), (point) => y(point.value))([...points]);
  return html`<figure class="chart"><figcaption class="label">${title}</figcaption>
<div class="plot"><div class="ticks" aria-hidden="true">${ticks.map((tick) => html`<span>${value(tick)}</span>`)}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}">${ticks.map(
    (tick) => html`<line class="grid" x1="0" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"></line>`,
  )}<path class="below" d="${fill}"></path><path class="series" d="${stroke}"></path></svg></div>
<div class="dates small quiet" aria-hidden="true"><span>${date(points[0]?.date ?? '')}</span><span>${date(points.at(-1)?.date ?? '')}</span></div>
<details class="fold"><summary>${texts.table}</summary><table class="lines"><caption class="unseen">${title}</caption><thead><tr><th scope="col">${texts.date}</th><th scope="col">${texts.value}</th></tr></thead><tbody>${points.map(
    (point) =>
      html`<tr><th scope="row">${href === undefined ? date(point.date) : html`<a href="${href(point.date)}">${date(point.date)}</a>`}</th><td>${value(point.value)}</td></tr>`,
  )}</tbody></table></details></figure>`;
}
