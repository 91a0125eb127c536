import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const rules = resolve(import.meta.dirname, '../../../deploy/observability/rules.yaml');

/** Whether promtool of Prometheus is on PATH, which evaluates rules; where it is not, it is said once. */
export const hasPromtool: boolean = (() => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('promtool is missing: no alert is evaluated. Debian has it in the package prometheus.\n');
    return false;
  }
})();

/** A page of metrics, and for how many minutes a Prometheus found it as it is. */
export interface ScrapedPage {
  readonly text: string;
  readonly minutes: number;
}

/** @param healthPort of the process that is scraped @param minutes for how long its page counts as it is */
export async function scrape(healthPort: number, minutes: number): Promise<ScrapedPage> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  if (response.status !== 200) throw new Error(`the page of metrics answered ${response.status}`);
  return { text: await response.text(), minutes };
}

/**
 * Has promtool evaluate the rules of `deploy/observability` each minute over pages of metrics that follow each other.
 * @param firing the names of the alerts that fire at some time
 * @throws Error naming the alerts that fire and should not, or should and do not
 */
export function expectFiring(pages: readonly ScrapedPage[], firing: readonly string[]): void {
  const text = readFileSync(rules, 'utf8');
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  const unknown = firing.filter((name) => !alerts.includes(name));
  if (unknown.length > 0) throw new Error(`no rule has the alert ${unknown.join(', ')}`);
  const minutes = pages.reduce((sum, page) => sum + page.minutes, 0);
  // Whether any instance of an alert fires: which ones do is not compared.
  const promql_expr_test = alerts.map((name) => ({
    expr: `count(count_over_time(ALERTS{alertname="${name}",alertstate="firing"}[${minutes}m])) > bool 0`,
    eval_time: `${minutes}m`,
    exp_samples: firing.includes(name) ? [{ labels: '{}', value: 1 }] : [],
  }));
  const test = { interval: '1m', input_series: seriesOf(pages, (metric) => text.includes(metric)), promql_expr_test };
  const directory = mkdtempSync(join(tmpdir(), 'funnelry-alerts-'));
  const file = join(directory, 'test.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }));
  try {
    execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8', stdio: 'pipe' });
  } catch (err) {
    const { stdout = '', stderr = '' } = err as { stdout?: string; stderr?: string };
    const wrong = [...`${stdout}${stderr}`.matchAll(/ALERTS\{alertname=\\?"(\w+)/g)].map(([, name = '']) => name);
    const of = (isFiring: boolean) => wrong.filter((name) => firing.includes(name) !== isFiring).join(', ') || 'none';
    if (wrong.length === 0) throw err;
    throw new Error(`fires and should not: ${of(true)}; should fire and does not: ${of(false)}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** As promtool has them: the values of each series of these metrics, one a minute; `_` where a page lacks it. */
function seriesOf(pages: readonly ScrapedPage[], isWanted: (metric: string) => boolean): object[] {
  const read = pages.map(({ text }) => valuesOf(text, isWanted));
  const names = new Set(read.flatMap((page) => [...page.keys()]));
  return [...names].map((series) => ({
    series,
    values: read.flatMap((page, n) => Array(pages[n]?.minutes).fill(page.get(series) ?? '_')).join(' '),
  }));
}

function valuesOf(text: string, isWanted: (metric: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, metric = '', labels = '', value = ''] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    if (metric !== '' && isWanted(metric)) found.set(`${metric}${labels}`, value);
  }
  return found;
}
