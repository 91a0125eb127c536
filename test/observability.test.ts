import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
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
    .filter((file) => /^(services|libs)\/[^/]+\/src\//.test(file) && !isTest(file))
    .flatMap((file) => [...read(file).matchAll(/(?:serviceGauge\(\s*|name: )'([a-z][a-z_]*(?:\.[a-z_]+)*)'/g)])
    .map(([, name = '']) => name.replaceAll('.', '_')),
);
const isShown = (metric: string): boolean =>
  declared.has(metric.replace(/(_seconds)?(_bucket|_count|_sum|_total)?$/, '')) || declared.has(metric);

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

const hasPromtool = (() => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.runIf(hasPromtool)('promtool takes the rules, and they fire as they should', () => {
  const run = (...args: string[]) => execFileSync('promtool', args, { cwd: join(root, folder), encoding: 'utf8' });
  expect(run('check', 'rules', 'rules.yaml')).toContain('SUCCESS');
  expect(run('test', 'rules', 'rules.test.yaml')).toContain('SUCCESS');
});
