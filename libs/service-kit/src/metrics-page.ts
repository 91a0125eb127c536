import type { Attributes } from '@opentelemetry/api';
import type { DataPoint, MetricData, ScopeMetrics } from '@opentelemetry/sdk-metrics';

/** The text format of Prometheus 0.0.4. */
export const metricsPageType = 'text/plain; version=0.0.4; charset=utf-8';

/** What one service of the process shows. */
export interface ServiceMetrics {
  readonly service: string;
  readonly scopeMetrics: readonly ScopeMetrics[];
}

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly lines: string[];
}

/**
 * Figures as Prometheus reads them, under the names that a collector gives them on their way to it: the unit of a
 * duration, of a size or of a ratio and `_total` of a counter end the name. All services of a process share the page, each under its
 * `service_name`; a name stands there once, with the figures of all.
 */
export function metricsPageOf(collected: readonly ServiceMetrics[]): string {
  const families = new Map<string, Family>();
  for (const { service, scopeMetrics } of collected) {
    const owner = { service_name: service };
    for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) addMetric(families, owner, metric);
  }
  return [...families].map(([name, family]) => textOf(name, family)).join('');
}

const textOf = (name: string, { type, help, lines }: Family): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;

type Labels = Record<string, unknown>;

function addMetric(families: Map<string, Family>, owner: Labels, metric: MetricData): void {
  const type = typeOf(metric);
  const name = nameOf(metric, type);
  const family = families.get(name) ?? { type, help: metric.descriptor.description, lines: [] };
  families.set(name, family);
  for (const point of metric.dataPoints) {
    const labels = { ...owner, ...labelsOf(point.attributes) };
    if (typeof point.value === 'number') family.lines.push(line(name, labels, point.value));
    else family.lines.push(...histogramLines(name, labels, point as DataPoint<HistogramValue>));
  }
}

interface HistogramValue {
  readonly count: number;
  readonly sum?: number;
  readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] };
}

/** Read from the data, so that the page loads nothing of the SDK: a sum that never falls is a counter. */
function typeOf(metric: MetricData): Family['type'] {
  if (metric.dataPoints.some(({ value }) => typeof value !== 'number')) return 'histogram';
  return 'isMonotonic' in metric && metric.isMonotonic ? 'counter' : 'gauge';
}

function nameOf({ descriptor }: MetricData, type: Family['type']): string {
  const { name, unit } = descriptor;
  const ratio = unit === '1' && type === 'gauge' ? '_ratio' : '';
  return `${plain(name)}${unitEndings[unit] ?? ratio}${type === 'counter' ? '_total' : ''}`;
}

const unitEndings: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

const plain = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_]/g, '_');

const labelsOf = (attributes: Attributes): Labels =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [plain(name), value]));

/** Prometheus counts upwards: each bucket holds what is below its bound, the last one everything. */
function histogramLines(name: string, labels: Labels, { value }: DataPoint<HistogramValue>): string[] {
  const { boundaries, counts } = value.buckets;
  let below = 0;
  const buckets = counts.map((count, index) => {
    below += count;
    return line(`${name}_bucket`, { ...labels, le: boundaries[index] ?? '+Inf' }, below);
  });
  return [...buckets, line(`${name}_sum`, labels, value.sum ?? 0), line(`${name}_count`, labels, value.count)];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`);
  return `${name}{${pairs.join(',')}} ${value}\n`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
