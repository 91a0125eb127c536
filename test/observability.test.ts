import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { hasPromtool } from '@app/testing/alerts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { find, isTest, read, root, typeScriptFiles } from './support/repository.ts';

/** Guarantee: alerts and dashboards ask for figures that the services show, and each alert says what to do. */
// biome-ignore lint/suspicious/noExplicitAny: what a YAML file holds is only known once it is read.
type Yaml = any;

const folder = 'deploy/observability';
const rules: Yaml[] = parse(read(`${folder}/rules.yaml`)).groups.flatMap((group: Yaml) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);

/** Names of instruments, as Prometheus has them without what its exporter adds for the unit and the kind. */
const declared = new Set(
  typeScriptFiles()
    .filter((file) => /^((services|libs)\/[^/]+|deploy\/standalone)\/src\//.test(file) && !isTest(file))
    .flatMap((file) => [...read(file).matchAll(/(?:[gG]auge(?:Of)?\(\s*|name: )'([a-z][\w]*(?:\.[\w]+)*)'/g)])
    .map(([, name = '']) => name.replaceAll('.', '_')),
);
const isShown = (metric: string): boolean =>
  declared.has(metric.replace(/(_seconds|_bytes|_ratio)?(_bucket|_count|_sum|_total)?$/, '')) || declared.has(metric);

/** What an expression asks for: words that are no function, no label and no text. */
function metricsIn(expression: string): string[] {
  const withoutLabels = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
  return [...withoutLabels.matchAll(/(?<![\w:])[a-z][\w:]*_\w+(?!\w*\()/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'histogram_quantile' && !name.includes(':'));
}

test('a metric that no service shows is found', () => {
  expect(metricsIn('sum by (a_b) (rate(no_such_total{c_d="e_f"}[5m])) / max(dead_letters)')).toEqual([
    'no_such_total',
    'dead_letters',
  ]);
  expect([
    isShown('no_such_total'),
    isShown('dead_letters'),
    isShown('http_server_request_duration_seconds_bucket'),
  ]).toEqual([false, true, true]);
});

test('every metric of a rule is one that the services show', () => {
  const wanted = rules.flatMap(({ expr }) => metricsIn(expr));
  expect(wanted.length).toBeGreaterThan(alerts.length);
  expect(wanted.filter((metric) => !isShown(metric))).toEqual([]);
});

test.each(find(`${folder}/dashboards/*.json`))('every metric of %s is one that the services show', (file) => {
  const { panels } = JSON.parse(read(file));
  const wanted = panels.flatMap(({ targets }: Yaml) => targets.flatMap(({ expr }: Yaml) => metricsIn(expr)));
  expect(wanted.length).toBeGreaterThanOrEqual(panels.length);
  expect(wanted.filter((metric: string) => !isShown(metric))).toEqual([]);
});

test('each alert leads to its runbook, and each runbook is of an alert', () => {
  const headings = [...read(`${folder}/runbooks.md`).matchAll(/^## (\w+)$/gm)].map(([, heading = '']) => heading);
  const led = alerts.map(({ alert, annotations }) => [alert, annotations.runbook]);
  const known = headings.map((heading) => `runbooks.md#${heading.toLowerCase()}`);
  expect(led.filter(([, runbook]) => !known.includes(runbook))).toEqual([]);
  expect(known.filter((runbook) => !led.some(([, wanted]) => wanted === runbook))).toEqual([]);
});

test.each(['deploy/otel/collector.yaml', `${folder}/tail-sampling.yaml`])(
  '%s has each component that its pipelines name, and none that they do not',
  (file) => {
    const { service, ...components }: Yaml = parse(read(file));
    for (const kind of ['receivers', 'processors', 'exporters']) {
      const named = new Set(Object.values(service.pipelines).flatMap((pipeline: Yaml) => pipeline[kind]));
      expect([kind, ...named].toSorted()).toEqual([kind, ...Object.keys(components[kind])].toSorted());
    }
  },
);

test('tail sampling keeps every trace with an error, and runs nowhere by itself', () => {
  const { policies }: Yaml = parse(read(`${folder}/tail-sampling.yaml`)).processors.tail_sampling;
  expect(policies).toContainEqual({
    ...{ name: 'errors', type: 'status_code', status_code: { status_codes: ['ERROR'] } },
  });
  expect(read('docker-compose.yml')).not.toContain('tail-sampling');
});

/** By the documentation of the collector's processors: what each field must look like. */
const duration = /^\d+(ms|s|m)$/;
const processorFields: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  memory_limiter: { check_interval: duration, limit_mib: /^\d+$/ },
  tail_sampling: { decision_wait: duration, num_traces: /^\d+$/, expected_new_traces_per_sec: /^\d+$/ },
  batch: {},
};
/** Each policy has its settings under the name of its type. */
const policyFields: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  status_code: { status_codes: /^(OK|ERROR|UNSET)(,(OK|ERROR|UNSET))*$/ },
  latency: { threshold_ms: /^\d+$/ },
  probabilistic: { sampling_percentage: /^(100|\d{1,2}(\.\d+)?)$/ },
};
const faultsOf = (given: Yaml, fields: Readonly<Record<string, RegExp>> | undefined): string[] =>
  Object.entries(given ?? {}).flatMap(([name, value]) =>
    fields?.[name]?.test(String(value)) ? [] : [`${name}: ${value}`],
  );

test('the collector of tail sampling has fields that its processors know, limits memory first and sends batches last', () => {
  const { processors, service }: Yaml = parse(read(`${folder}/tail-sampling.yaml`));
  const { policies, ...sampling } = processors.tail_sampling;
  for (const [name, given] of Object.entries({ ...processors, tail_sampling: sampling }))
    expect([name, faultsOf(given, processorFields[name])]).toEqual([name, []]);
  for (const { name, type, [type]: settings, ...rest } of policies)
    expect([name, rest, faultsOf(settings, policyFields[type]), settings && true]).toEqual([name, {}, [], true]);
  expect(service.pipelines.traces.processors).toEqual(['memory_limiter', 'tail_sampling', 'batch']);
  expect(service.pipelines.metrics.processors).toEqual(['memory_limiter', 'batch']);
  expect(faultsOf({ decision_wait: 30, treshold_ms: 1 }, { decision_wait: duration })).toHaveLength(2);
});

test.runIf(hasPromtool)('promtool takes the rules, and they fire as they should', () => {
  const run = (...args: string[]) => execFileSync('promtool', args, { cwd: join(root, folder), encoding: 'utf8' });
  expect(run('check', 'rules', 'rules.yaml')).toContain('SUCCESS');
  expect(run('test', 'rules', 'rules.test.yaml')).toContain('SUCCESS');
});
