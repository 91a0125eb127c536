import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { type Html, html } from '../html.ts';

/** Its own units: the drawing is stretched to the width of its tile. */
const width = 100;
const height = 32;

/** How a number went, without axes: what it is stands beside it in words. @param values in the order of their dates, two at least */
export function sparkline(values: readonly number[]): Html {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const x = scaleLinear([0, values.length - 1], [0, width]);
  // The line is drawn half above its points.
  const y = scaleLinear([low, low === high ? 1 : high], [height - 1, 1]);
  const stroke = line<number>((_, index) => x(index), y)([...values]);
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path d="${stroke}"></path></svg>`;
}
