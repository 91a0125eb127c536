import { configSchema as affiliate } from '@app/affiliate/config';
import { configSchema as billing } from '@app/billing/config';
import { configSchema as catalog } from '@app/catalog/config';
import { configSchema as checkout } from '@app/checkout/config';
import { serviceNames } from '@app/contracts/services';
import { configSchema as gateway } from '@app/gateway/config';
import { configSchema as metrics } from '@app/metrics/config';
import { keeperConfig as keeper } from '@app/service-kit/config';
import { madeHere, configSchema as standalone } from '@app/standalone/config';
import { configSchema as dispatcher } from '@app/webhook-dispatcher/config';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import { read } from './support/repository.ts';

const schemas = { gateway, catalog, checkout, billing, affiliate, metrics, 'webhook-dispatcher': dispatcher, keeper };
type Program = keyof typeof schemas;

// biome-ignore lint/suspicious/noExplicitAny: what a YAML file holds is only known once it is read.
type Yaml = any;
const compose: Yaml = parse(read('docker-compose.yml'), { merge: true });
const common: Yaml[] = parse(read('k8s/base/patches/deployment.yaml')).spec.template.spec.containers[0].env;

/** A row of the page: what it says of a setting, for one service. */
interface Described {
  readonly name: string;
  readonly fallback: string;
  readonly compose: string;
  readonly kubernetes: string;
  readonly start: string;
}

const rows = read('docs/settings.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));

function describedOf(program: Program): Described[] {
  return rows.flatMap(([, name = '', fallback = '', readBy = '', ofCompose = '', kubernetes = '', start = '']) =>
    readBy.split(', ').some((reader) => reader === program || (reader === 'all' && program !== 'keeper'))
      ? [{ name, fallback, compose: ofCompose, kubernetes, start }]
      : [],
  );
}

function fallbackOf(setting: z.ZodType): string {
  const absent = setting.safeParse(undefined);
  return absent.success ? String(absent.data ?? 'none') : 'required';
}

function fromCompose(service: Program, name: string): string {
  const value = compose.services[service].environment[name];
  if (value === undefined) return '–';
  if (String(value).includes(':?}')) return 'secret';
  // Billing's secret has a name of its own there.
  const ownNames = [name, `${service.toUpperCase()}_${name}`];
  return ownNames.some((own) => String(value).includes(`\${${own}:-`)) ? '.env' : 'fixed';
}

function fromKubernetes(service: Program, name: string): string {
  const [deployment] = parseAllDocuments(read(`k8s/base/${service}.yaml`)).map((document): Yaml => document.toJS());
  const shared = service === 'keeper' ? [] : common;
  const given = [...deployment.spec.template.spec.containers[0].env, ...shared].find((entry) => entry.name === name);
  // What no entry names comes from the maps that a container is given whole.
  if (given === undefined) return 'map';
  return given.valueFrom?.secretKeyRef ? 'secret' : 'fixed';
}

/** Every service's own environment is that of `npm start`, but for what it makes and where it has a default of its own. */
function fromStart(name: string, setting: z.ZodType): string {
  if ((madeHere as readonly string[]).includes(name)) return 'made';
  const own: z.ZodType | undefined = (standalone.shape as Record<string, z.ZodType>)[name];
  const fallback = own === undefined ? undefined : fallbackOf(own);
  if (fallback === undefined || fallback === fallbackOf(setting)) return '=';
  // What is made of other settings, the page says below.
  return fallback === 'none' ? 'below' : fallback;
}

test('each setting says since which version it is read: one of the changelog, and of the first release what that read', () => {
  const versions = [...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version);
  const named = rows.map(([, name, , , , , , since]) => ({ name, since }));
  expect(named.filter(({ since }) => !versions.includes(since))).toEqual([]);
  expect(named.length).toBeGreaterThan(60);
});

test.each([...serviceNames, 'keeper'] as const)(
  'docs/settings.md says of each setting of %s what it is without it and where it is passed',
  (service) => {
    const settings = Object.entries<z.ZodType>(schemas[service].shape).map(([name, setting]) => ({
      name,
      fallback: fallbackOf(setting),
      compose: fromCompose(service, name),
      kubernetes: fromKubernetes(service, name),
      start: fromStart(name, setting),
    }));
    const byName = (one: Described, other: Described) => one.name.localeCompare(other.name);
    expect(describedOf(service).toSorted(byName)).toEqual(settings.toSorted(byName));
  },
);
