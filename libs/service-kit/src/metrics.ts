import type { Attributes, Meter, Observable } from '@opentelemetry/api';
import { errorTypeOf } from './tracing.ts';

/** What records figures and shows them; set once by `startTelemetry`. */
export interface Metrics {
  /** A meter whose figures carry the name of this service: several services may share a process. */
  readonly meterOf: (service: string) => Meter;
  /** All figures of this process, in Prometheus' text format. */
  readonly page: () => Promise<string>;
}

let metrics: Metrics | undefined;

/** While off, nothing is recorded, nothing is read, and there is no timer. */
export function setMetrics(started: Metrics | undefined): void {
  metrics = started;
}

/** All figures of this process, in Prometheus' text format; empty while metrics are off. */
export const metricsPage = async (): Promise<string> => (await metrics?.page()) ?? '';

export interface Instrument {
  /** As OpenTelemetry's conventions have it, where they have one. */
  readonly name: string;
  /** In UCUM: `s`, `{event}`. */
  readonly unit: string;
  /** Says whether a figure is this replica's or the whole service's. */
  readonly description: string;
}

/** The bounds that OpenTelemetry's conventions give durations, in seconds. */
const boundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** @param attributes of few values altogether: each combination is a series of its own */
export type RecordSeconds = (seconds: number, attributes: Attributes) => void;

/** A histogram of durations; undefined while metrics are off. One record takes about a microsecond. */
export function secondsHistogram(service: string, instrument: Omit<Instrument, 'unit'>): RecordSeconds | undefined {
  const { name, description } = instrument;
  const advice = { explicitBucketBoundaries: boundsSeconds };
  const histogram = metrics?.meterOf(service).createHistogram(name, { description, unit: 's', advice });
  return histogram === undefined ? undefined : (seconds, attributes) => histogram.record(seconds, attributes);
}

/** Runs work and records how long it took, and which error it ended with; a refusal such as not found is none. */
export function timed<T>(
  record: RecordSeconds | undefined,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return record === undefined ? work() : workTimed(record, attributes, work);
}

async function workTimed<T>(record: RecordSeconds, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  let failure: string | undefined;
  try {
    return await work();
  } catch (err) {
    failure = errorTypeOf(err);
    throw err;
  } finally {
    const seconds = (performance.now() - startedMs) / 1_000;
    record(seconds, failure === undefined ? attributes : { ...attributes, 'error.type': failure });
  }
}

export interface Gauge extends Instrument {
  /**
   * `replica`: every replica has its own, and the sum over replicas is the service's. `service`: all replicas show the
   * same figure, so its largest counts, never the sum. `process`: every process has its own, which do not add up.
   */
  readonly of: 'replica' | 'service' | 'process';
  /** It never falls, so it is shown as a counter. */
  readonly isTotal?: true;
}

/** A gauge that every replica shows alike: its name, its unit, and what it shows, to which that is added. */
export const serviceGauge = (name: string, unit: string, shows: string): Gauge => ({
  name,
  unit,
  of: 'service',
  description: `${shows}, of the whole service whichever replica reports.`,
});

export interface Reading {
  readonly gauge: Gauge;
  readonly value: number;
  readonly attributes?: Attributes;
}

/** However many read the figures, and however often, they are read once in this time. */
const rereadAfterMs = 5_000;

/**
 * Reads figures whenever a collector collects them, and only then. One that cannot be read is left out.
 * @param read rejects when nothing can be read; may query the database or NATS, at a bounded cost
 */
export function observeGauges(
  service: string,
  gauges: readonly Gauge[],
  read: () => Promise<readonly Reading[]>,
): { close(): void } {
  const meter = metrics?.meterOf(service);
  if (meter === undefined) return { close: () => undefined };
  const instruments = new Map(gauges.map((gauge) => [gauge, instrumentOf(meter, gauge)]));
  const readings = rememberFor(rereadAfterMs, read);
  const observe: Parameters<Meter['addBatchObservableCallback']>[0] = async (observed) => {
    for (const { gauge, value, attributes } of await readings()) {
      const instrument = instruments.get(gauge);
      if (instrument !== undefined) observed.observe(instrument, value, attributes);
    }
  };
  const all = [...instruments.values()];
  meter.addBatchObservableCallback(observe, all);
  return { close: () => meter.removeBatchObservableCallback(observe, all) };
}

function instrumentOf(meter: Meter, { name, of, unit, description, isTotal }: Gauge): Observable {
  const options = { unit, description };
  if (isTotal) return meter.createObservableCounter(name, options);
  return of === 'replica'
    ? meter.createObservableUpDownCounter(name, options)
    : meter.createObservableGauge(name, options);
}

/** A failure is remembered too: a database that hangs is not queried once more by each collector. */
function rememberFor<T>(limitMs: number, find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  let foundMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (found === undefined || performance.now() - foundMs > limitMs) {
      found = find();
      foundMs = performance.now();
    }
    return found;
  };
}
