import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { configSchema as affiliate } from '@app/affiliate/config';
import { configSchema as billing } from '@app/billing/config';
import { configSchema as catalog } from '@app/catalog/config';
import { configSchema as checkout } from '@app/checkout/config';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { postgresSettings } from '@app/embedded/postgres-settings';
import { configSchema as gateway } from '@app/gateway/config';
import { configSchema as metrics } from '@app/metrics/config';
import { keeperConfig as keeper, parseConfig } from '@app/service-kit/config';
import { configSchema as dispatcher } from '@app/webhook-dispatcher/config';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { hasKubectl, kustomize, objectsOf, validate } from './support/kubernetes.ts';
import { find, manifests, read, root } from './support/repository.ts';

const schemas = { gateway, catalog, checkout, billing, affiliate, metrics, 'webhook-dispatcher': dispatcher, keeper };
type Program = keyof typeof schemas;
const programs: readonly Program[] = [...serviceNames, 'keeper'];

// biome-ignore lint/suspicious/noExplicitAny: what a YAML file holds is only known once it is read.
type Yaml = any;
type Environment = Record<string, string>;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secretsFile = join(folder, '.env');
const script = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const secretsFolder = join(folder, 'secrets');
const makeSecrets = ['deploy/make-secrets.js', '--file', secretsFile, '--folder', secretsFolder];
script(...makeSecrets, '--kubernetes', 'local', '--database-host', 'db:5432');
/** By the name of a Secret what it holds. */
const secretObjects: Record<string, Environment> = Object.fromEntries(
  parse(readFileSync(join(secretsFolder, 'kustomization.yaml'), 'utf8')).secretGenerator.map(({ name, envs }: Yaml) => [
    name,
    parseEnv(readFileSync(join(secretsFolder, envs[0]), 'utf8')),
  ]),
);
const secrets = parseEnv(readFileSync(secretsFile, 'utf8')) as Environment;

const compose: Yaml = parse(read('docker-compose.yml'), { merge: true });
const kubernetesFiles = find('k8s/**/*.yaml').filter(
  (file) => !/\/(patches|examples)\//.test(file) && basename(file) !== 'kustomization.yaml',
);
const objects = kubernetesFiles.flatMap((file) => objectsOf(read(file)));
const byKind = (kind: string, name: string): Yaml =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const containerOf = (object: Yaml): Yaml => object.spec.template.spec.containers[0];

/** As compose would: a variable that must be set is one of the secrets, others have their default, which may have its own. */
function interpolate(value: unknown): string {
  const text = String(value);
  const inner = text.replaceAll(/\$\{(\w+)(?::-([^${}]*)|:\?)\}/g, (_, name: string, fallback?: string) => {
    if (fallback !== undefined) return fallback;
    if (secrets[name] === undefined) throw new Error(`make-secrets.js does not make ${name}`);
    return secrets[name];
  });
  return inner === text ? text : interpolate(inner);
}

const composeEnvironment = (service: string): Environment =>
  Object.fromEntries(
    Object.entries(compose.services[service].environment).map(([name, value]) => [name, interpolate(value)]),
  );

const base: Yaml = parse(read('k8s/base/kustomization.yaml'));
const settings: Record<string, Environment> = Object.fromEntries(
  base.configMapGenerator.map((map: Yaml) => [map.name, parseEnv(map.literals.join('\n'))]),
);
const patchOf = (name: string): Yaml => parse(read(`k8s/base/patches/${name}.yaml`));

/** What a container's own entries give it, its Secrets looked up. */
function kubernetesEnvironment(env: Yaml[]): Environment {
  const given = env.map(({ name, value, valueFrom }) => {
    if (value !== undefined) return [name, value];
    const { secretKeyRef: secret } = valueFrom;
    const found = secretObjects[secret.name]?.[secret.key];
    if (found === undefined && !secret.optional) throw new Error(`${name} refers to something that does not exist`);
    return [name, found];
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** What a container gets of the maps that it names whole: each setting counts for the programs that know it. */
const settingsFrom = (envFrom: Yaml[], service: Program): Environment =>
  Object.fromEntries(
    envFrom
      .flatMap(({ configMapRef }) => Object.entries(settings[configMapRef.name] ?? {}))
      .filter(([name]) => Object.hasOwn(schemas[service].shape, name)),
  );

function expectSettingsOf(service: Program, env: Environment): void {
  const schema = schemas[service];
  expect(Object.keys(env).filter((name) => !Object.hasOwn(schema.shape, name))).toEqual([]);
  // Throws with everything that is missing or malformed.
  expect(parseConfig(schema, env)).toMatchObject({ NATS_USER: service, NATS_PASSWORD: secrets[variable(service)] });
}

const variable = (service: string): string => `NATS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}`;

describe('deploy/README.md', () => {
  test.each<[string, RegExp, (name: ServiceName) => boolean]>([
    ['publishes', /How many events wait to be published\? For ([^:]+):/, (name) => topology[name].publishes],
    ['consumes', /\(dead letters\),[^:]* in ([^:]+):/, (name) => topology[name].consumes.length > 0],
  ])('says of every service that %s how to inspect its events', (_, sentence, does) => {
    const named = sentence.exec(read('deploy/README.md'))?.[1]?.split(/,\s+|\s+and\s+/) ?? [];
    expect(named.toSorted()).toEqual(serviceNames.filter(does).toSorted());
  });
});

describe('docker-compose.yml', () => {
  test.each(programs)('%s gets settings that it knows, and all that it needs', (service) => {
    expectSettingsOf(service, composeEnvironment(service));
  });

  test('every service has a database and a user of its own, the same as its migrations', () => {
    const urls = serviceNames.map((service) => new URL(composeEnvironment(service).DATABASE_URL ?? ''));
    const names = serviceNames.map((service) => service.replaceAll('-', '_'));
    expect(urls.map((url) => url.username)).toEqual(names);
    expect(urls.map((url) => url.pathname.slice(1))).toEqual(names);
    expect(new Set(urls.map((url) => url.password)).size).toBe(serviceNames.length);
    const migrations = serviceNames.map((service) => composeEnvironment(`${service}-migrations`).DATABASE_URL);
    expect(migrations).toEqual(urls.map((url) => url.href));
  });

  test.each(serviceNames)('%s starts after its migrations, from the same image', (service) => {
    const own = compose.services[service];
    const migrations = compose.services[`${service}-migrations`];
    expect(own.depends_on[`${service}-migrations`]).toEqual({ condition: 'service_completed_successfully' });
    expect(migrations.image).toBe(own.image);
    expect(own.build.args).toEqual({ SERVICE: service });
    expect(own.image).toContain(`/${service}:`);
  });

  test('nothing runs with capabilities or on a writable root, and only the gateway is published, on loopback', () => {
    const services = Object.entries<Yaml>(compose.services);
    expect(services.filter(([, service]) => service.mem_limit === undefined).map(([name]) => name)).toEqual([]);
    const added = services.filter(([, service]) => service.cap_add !== undefined).map(([name]) => name);
    // Runs before nats-server, without a network, and ends.
    expect(added).toEqual(['nats-volume']);
    for (const name of ['nats', 'postgres']) expect(compose.services[name].user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const [name, service] of services) {
      expect({ name, drop: service.cap_drop, readOnly: service.read_only }).toEqual({
        name,
        drop: ['ALL'],
        readOnly: true,
      });
    }
    const published = services.filter(([, service]) => service.ports !== undefined);
    expect(published.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)).toEqual(['gateway']);
    for (const [name, { ports }] of published) expect([name, ports]).toEqual([name, [expect.stringMatching(/^127\./)]]);
    expect(interpolate(compose.services.gateway.ports)).toBe(`127.0.0.1:3000:${composeEnvironment('gateway').PORT}`);
  });

  test('only the gateway, the senders of webhooks and emails, and who calls Stripe are in a network that leads out', () => {
    expect(compose.networks.inside).toEqual({ internal: true });
    const reaching = Object.entries<Yaml>(compose.services)
      .filter(([, service]) => service.profiles === undefined && (service.networks ?? ['inside']).join() !== 'inside')
      .map(([name]) => name);
    expect(reaching).toEqual(['gateway', 'checkout', 'billing', 'webhook-dispatcher']);
    for (const name of reaching) expect(compose.services[name].networks).toContain('outbound');
  });
});

describe('k8s', () => {
  const common = containerOf(patchOf('deployment'));

  test.each(programs)('%s gets settings that it knows, and all that it needs', (service) => {
    const container = containerOf(byKind('Deployment', service));
    const given = service === 'keeper' ? container : { ...common, env: [...container.env, ...common.env] };
    expectSettingsOf(service, { ...settingsFrom(given.envFrom, service), ...kubernetesEnvironment(given.env) });
  });

  test.each(['base', 'overlays/local', 'overlays/production'])(
    'every setting of %s is one that a program knows',
    (folder) => {
      const { configMapGenerator = [] } = parse(read(`k8s/${folder}/kustomization.yaml`));
      const names = configMapGenerator.flatMap((map: Yaml) => Object.keys(parseEnv(map.literals.join('\n'))));
      const known = Object.values(schemas).flatMap(({ shape }) => Object.keys(shape));
      expect(names.filter((name: string) => !known.includes(name))).toEqual([]);
    },
  );

  // A Job could not be changed: every upgrade would have to delete it first.
  test.each(serviceNames)('%s migrates before it starts, has a disruption budget, and images as compose', (service) => {
    const image = interpolate(compose.services[service].image);
    const [migrations] = byKind('Deployment', service).spec.template.spec.initContainers;
    expect(objects.filter((object) => object.kind === 'Job')).toEqual([]);
    expect([containerOf(byKind('Deployment', service)).image, migrations.image]).toEqual([image, image]);
    expect(kubernetesEnvironment(migrations.env).DATABASE_URL).toMatch(/^postgres:\/\/\w+:\w+@db:5432\/\w+$/);
    expect(byKind('PodDisruptionBudget', service).spec.selector).toEqual(byKind('Deployment', service).spec.selector);
  });

  test('migrations are run by the command that compose runs', () => {
    const [migrations] = patchOf('deployment').spec.template.spec.initContainers;
    expect(migrations.command).toEqual(compose.services['catalog-migrations'].command);
  });

  test('authorities of TLS are where the README says, for service and migrations', () => {
    const { containers, initContainers, volumes } = patchOf('deployment').spec.template.spec;
    const mounted = [...containers, ...initContainers].map(({ volumeMounts }: Yaml) =>
      volumeMounts.find(({ name }: Yaml) => name === 'authorities'),
    );
    expect(mounted.map((mount) => mount?.mountPath)).toEqual(['/etc/tls', '/etc/tls']);
    expect(volumes).toContainEqual({ name: 'authorities', configMap: { name: 'authorities', optional: true } });
  });

  test('replicas of a service are spread over machines and zones', () => {
    const spread: Yaml[] = patchOf('deployment').spec.template.spec.topologySpreadConstraints;
    expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
    const labels = Object.keys(byKind('Deployment', 'catalog').spec.template.metadata.labels);
    for (const { labelSelector, matchLabelKeys } of spread) {
      expect(Object.keys(labelSelector.matchLabels).filter((label) => !labels.includes(label))).toEqual([]);
      expect(matchLabelKeys).toEqual(['app.kubernetes.io/name', 'pod-template-hash']);
    }
  });

  test('no policy opens a way without naming its other end or its port; only the gateway is reached from outside', () => {
    const policies = objects.filter((object) => object.kind === 'NetworkPolicy');
    const ways: Yaml[] = policies.flatMap(({ metadata, spec }) =>
      [...(spec.ingress ?? []), ...(spec.egress ?? [])].map((way) => ({ name: metadata.name, ...way })),
    );
    expect(ways.filter(({ ports }) => ports === undefined)).toEqual([]);
    const toAnybody = ways.filter(({ from, to }) => from === undefined && to === undefined);
    expect(toAnybody.map(({ name }) => name)).toEqual(['gateway-is-reached']);
    const withoutPort = ways.filter(({ ports }) => ports.some((entry: Yaml) => entry.port === undefined));
    expect(withoutPort.map(({ name }) => name)).toEqual(['webhooks-leave']);
    const toStripe = policies.find(({ metadata }) => metadata.name === 'stripe-is-reached')?.spec;
    expect(toStripe.podSelector.matchLabels['app.kubernetes.io/name']).toBe('billing');
    expect(toStripe.egress[0].ports).toEqual([{ protocol: 'TCP', port: 443 }]);
  });

  test('PostgreSQL has the settings it has in compose, and logs as little as that of npm start', () => {
    const command: string[] = compose.services.postgres.command.slice(1);
    expect(containerOf(byKind('StatefulSet', 'postgres')).args).toEqual(command);
    const log = /^log_(min_|error_|parameter_)/;
    const own = postgresSettings({ durable: true, maxConnections: 100, port: 0 });
    expect(command.filter((part) => log.test(part)).toSorted()).toEqual(
      own.filter((part) => log.test(part)).toSorted(),
    );
  });

  test('ports agree: health with the image, the gateway with its service', () => {
    const health = /HEALTH_PORT=(\d+)/.exec(read('deploy/Dockerfile'))?.[1];
    const { env, ports } = containerOf(patchOf('deployment'));
    expect(env).toContainEqual({ name: 'HEALTH_PORT', value: health });
    expect(ports).toContainEqual({ name: 'health', containerPort: Number(health) });
    const { ports: own, env: gatewayEnv } = containerOf(byKind('Deployment', 'gateway'));
    expect(gatewayEnv).toContainEqual({ name: 'PORT', value: String(own[0].containerPort) });
    expect(byKind('Service', 'gateway').spec.ports[0].targetPort).toBe(own[0].name);
  });

  test('the daily job runs once a day, never twice at a time, with the platform key', () => {
    const { spec } = byKind('CronJob', 'daily');
    expect([spec.schedule, spec.timeZone, spec.concurrencyPolicy]).toEqual(['0 3 * * *', 'Etc/UTC', 'Forbid']);
    const container = containerOf(spec.jobTemplate);
    expect(kubernetesEnvironment(container.env).PLATFORM_KEY).toBe(secrets.PLATFORM_KEY);
    expect(compose.services.daily.command).toEqual([...container.command, '--every-day']);
  });

  test('production names every image and keeps three copies of every stream', () => {
    const production: Yaml = parse(read('k8s/overlays/production/kustomization.yaml'));
    expect(production.images.map((image: Yaml) => image.name)).toEqual(serviceNames.map((name) => `funnelry/${name}`));
    expect(production.configMapGenerator[0].literals).toContain('STREAM_REPLICAS=3');
  });

  test.each(kubernetesFiles)('%s: every object is valid', (file) => {
    for (const object of objectsOf(read(file))) validate(object);
  });

  // Kustomize comes with kubectl, which not every machine has; the tests above need neither.
  test.runIf(hasKubectl).each(['local', 'production'])(
    'overlay %s renders to valid, hardened objects',
    async (name) => {
      const rendered = kustomize(`k8s/overlays/${name}`);
      for (const object of rendered) validate(object);
      const deployments = rendered.filter((object) => object.kind === 'Deployment');
      expect(deployments.map((object) => object.metadata.name).toSorted()).toEqual(
        [...serviceNames, 'keeper'].toSorted(),
      );
      for (const deployment of deployments) {
        const container = containerOf(deployment);
        expect(deployment.spec.template.spec.securityContext.runAsNonRoot).toBe(true);
        expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
        expect(container.readinessProbe.httpGet.path).toBe('/readyz');
      }
    },
  );
});

describe('servers', () => {
  test('nats.conf says what the topology says', () => {
    const written = join(folder, 'nats.conf');
    script('deploy/nats/write-config.ts', written);
    expect(read('deploy/nats/nats.conf')).toBe(readFileSync(written, 'utf8'));
    const given = Object.keys(compose.services.nats.environment).filter((name) => name.startsWith('NATS_PASSWORD_'));
    expect(given).toEqual([...serviceNames, 'keeper'].map(variable));
  });

  test('compose and Kubernetes have one keeper of the streams, by the same command, and what all services have', () => {
    const deployment = byKind('Deployment', 'keeper');
    const container = containerOf(deployment);
    expect([deployment.spec.replicas, deployment.spec.strategy]).toEqual([1, { type: 'Recreate' }]);
    expect(compose.services.keeper.command).toEqual(container.command);
    const common = containerOf(patchOf('deployment'));
    // It has no database that could be a copy.
    const ofAll = common.env.filter(({ name }: Yaml) => name !== 'INSTALLATION_ID');
    for (const setting of ofAll) expect(container.env).toContainEqual(setting);
    expect(common.envFrom).toEqual(expect.arrayContaining(container.envFrom));
    expect([container.livenessProbe, container.readinessProbe]).toEqual([common.livenessProbe, common.readinessProbe]);
    expect(container.securityContext).toEqual(common.securityContext);
  });

  test.each([
    ['none', [], []],
    ['those of the release before', ['$G/streams'], ['STREAMS/streams']],
    ['its own', ['STREAMS/streams'], ['STREAMS/streams']],
    ['its own, and newer ones of the release before', ['STREAMS/older', '$G/newer'], ['STREAMS/newer']],
  ])('nats-server starts on the streams that it finds: %s', (_what, before, after) => {
    const data = mkdtempSync(join(folder, 'nats-'));
    for (const path of before) mkdirSync(join(data, 'jetstream', path), { recursive: true });
    const bin = mkdtempSync(join(folder, 'bin-'));
    // Says what it was started with, and what it found.
    const stub = `#!/bin/sh\necho "$@"\ncd "$NATS_DATA"\nfind jetstream -mindepth 2 -type d -not -path '*before-*' || true\n`;
    writeFileSync(join(bin, 'nats-server'), stub, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}`, NATS_DATA: data };
    const said = execFileSync('sh', ['deploy/nats/start.sh', '-c', 'x.conf'], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(said.trim().split('\n')).toEqual(['-c x.conf', ...after.map((path) => `jetstream/${path}`)]);
  });

  test('show-lag.js says the lag of each consumer', () => {
    const consumer = { name: 'metrics', num_pending: 7, num_ack_pending: 2, num_redelivered: 1 };
    const state = { messages: 12, bytes: 2_097_152, last_seq: 40 };
    const shown = {
      account_details: [{ stream_detail: [{ name: 'EVT_CHECKOUT', state, consumer_detail: [consumer] }] }],
    };
    const input = JSON.stringify(shown);
    const said = execFileSync(process.execPath, ['deploy/nats/show-lag.js'], { cwd: root, input, encoding: 'utf8' });
    expect(said.split('\n').slice(0, 2)).toEqual([
      'EVT_CHECKOUT: 12 events, 2.0 MB, the last is 40',
      '  metrics: lag 9 (7 not fetched, 2 under way, 1 repeated)',
    ]);
  });

  test('PostgreSQL makes a database for every service, from the passwords it is given', () => {
    const sql = read('deploy/postgres/create-databases.sql');
    const passwords = [...sql.matchAll(/^\\getenv (\w+) (\w+)$/gm)].map(([, name = '', from = '']) => ({ name, from }));
    const expected = serviceNames.map((service) => service.replaceAll('-', '_'));
    expect(passwords).toEqual(expected.map((name) => ({ name, from: `DB_PASSWORD_${name.toUpperCase()}` })));
    expect([...sql.matchAll(/\('(\w+)', :'(\w+)'\)/g)].map(([, name, password]) => [name, password])).toEqual(
      expected.map((name) => [name, name]),
    );
    for (const { from } of passwords) expect(compose.services.postgres.environment).toHaveProperty([from]);
  });
});

describe('the image', () => {
  test('is healthy while its service is ready, by a probe that starts no Node process', async () => {
    const [, given = ''] = /^HEALTHCHECK [^\n]*\n {2}CMD (\[.*\])$/m.exec(read('deploy/Dockerfile')) ?? [];
    const [program = '', ...args] = JSON.parse(given) as string[];
    expect(program).toBe('bash');
    expect(read('deploy/Dockerfile')).toContain('--start-period=120s');
    let status = 200;
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/readyz' ? status : 404;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const probed = async () =>
      await run(program, args, { env: { PATH: process.env.PATH, HEALTH_PORT: `${port}` } }).then(
        () => 'healthy',
        () => 'unhealthy',
      );
    try {
      expect(await probed()).toBe('healthy');
      status = 503;
      expect(await probed()).toBe('unhealthy');
    } finally {
      server.close();
    }
    expect(await probed()).toBe('unhealthy');
  });

  // Else the lock file would not agree with them, and npm ci would refuse.
  test('is installed from the manifests of all workspaces', () => {
    const { workspaces } = JSON.parse(read('package.json'));
    const ignored = read('.dockerignore').split('\n');
    expect(workspaces.filter((folders: string) => !ignored.includes(`!${folders}/package.json`))).toEqual([]);
  });

  // Links are what npm makes for the workspaces that are installed, and for what they need.
  test('of the gateway has a link to every library that the daily job and the keeper import', () => {
    const needs = new Map(manifests().map(({ name, dependencies }) => [name, Object.keys(dependencies ?? {})]));
    const named = [...read('deploy/Dockerfile').matchAll(/--workspace "?(?:libs|services)\/([\w$-]+)/g)];
    const linked = new Set<string>();
    const link = (name: string): void => {
      if (!name.startsWith('@app/') || linked.has(name)) return;
      linked.add(name);
      for (const needed of needs.get(name) ?? []) link(needed);
    };
    for (const [, workspace = ''] of named) link(`@app/${workspace.replace('$SERVICE', 'gateway')}`);
    const imported = find('deploy/{daily,keeper}/*.ts').flatMap((file) =>
      [...read(file).matchAll(/from '(@app\/[\w-]+)\//g)].map((match) => match[1] ?? ''),
    );
    expect(imported).toContain('@app/runs');
    expect([...new Set(imported)].filter((name) => !linked.has(name))).toEqual([]);
  });

  test('holds every library that a service runs on', () => {
    const needs = new Map(manifests().map(({ name, dependencies }) => [name, dependencies]));
    const shipped = [...read('deploy/Dockerfile').matchAll(/^COPY libs\/([\w-]+)\/src/gm)].map(
      (match) => match[1] ?? '',
    );
    // What comes with a package for its tests alone is left out of the image.
    const forTests = ['@app/testing'];
    const libraries = [...serviceNames, ...shipped].flatMap((name) =>
      Object.keys(needs.get(`@app/${name}`) ?? {}).filter((needed) => needed.startsWith('@app/')),
    );
    const wanted = new Set(libraries.filter((name) => !forTests.includes(name)).map((name) => basename(name)));
    expect(shipped.toSorted()).toEqual([...wanted].toSorted());
    for (const library of shipped) expect(read('.dockerignore')).toContain(`!libs/${library}/src\n`);
  });
});

describe('secrets', () => {
  test('are long, differ from each other, and are safe for nats-server and for URLs', () => {
    const values = Object.values(secrets);
    expect(new Set(values).size).toBe(values.length);
    expect(values.filter((value) => !/^[a-z][a-z0-9]{47,}$/.test(value))).toEqual([]);
  });

  test('are for their owner alone, and a second run changes none', () => {
    expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(secretsFolder, 'gateway.env')).mode & 0o777).toBe(0o600);
    script('deploy/make-secrets.js', '--file', secretsFile);
    expect(parseEnv(readFileSync(secretsFile, 'utf8'))).toEqual(secrets);
  });

  test('of PostgreSQL carry the options of its connections', () => {
    const options = 'sslmode=verify-full&sslrootcert=/etc/tls/ca.pem';
    const other = join(folder, 'production');
    const args = ['--folder', other, '--kubernetes', 'production', '--database-options', options];
    script('deploy/make-secrets.js', '--file', secretsFile, ...args);
    const { DATABASE_URL = '' } = parseEnv(readFileSync(join(other, 'checkout.env'), 'utf8'));
    expect(new URL(DATABASE_URL).search).toBe(`?${options}`);
    const { secretGenerator } = parse(readFileSync(join(other, 'kustomization.yaml'), 'utf8'));
    expect(secretGenerator.map(({ name }: Yaml) => name)).toEqual([...serviceNames, 'keeper', 'installation']);
  });

  test.runIf(hasKubectl)('in Kubernetes, a changed one is a rollout of those that it concerns', () => {
    const folder = join(root, 'k8s/secrets', `test-${process.pid}`);
    const render = (): Map<string, string> => {
      const rendered = kustomize(folder);
      const templates = rendered.filter(({ kind }) => kind === 'Deployment');
      return new Map(templates.map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec.template)]));
    };
    try {
      script('deploy/make-secrets.js', '--file', secretsFile, '--folder', folder, '--kubernetes', 'local');
      const before = render();
      appendFileSync(join(folder, 'catalog.env'), 'CHANGED=1\n');
      const changed = [...render()].filter(([name, template]) => before.get(name) !== template);
      expect(changed.map(([name]) => name)).toEqual(['catalog']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('in Kubernetes, a service has no other service’s', () => {
    const owners = Object.entries(secrets).map(([name, value]) => {
      const holding = Object.entries(secretObjects).filter(([, object]) => JSON.stringify(object).includes(value));
      return [name, holding.map(([owner]) => owner).filter((owner) => !['postgres', 'nats'].includes(owner))];
    });
    expect(owners.filter(([, holding]) => (holding?.length ?? 0) > 1)).toEqual([]);
  });
});

describe('the daily job’s caller', () => {
  test('calls with the platform key, and its exit code says whether the job ran', async () => {
    const requested: unknown[] = [];
    const server = createServer((request, response) => {
      // Who waits for three seconds also queries the job's progress.
      if (request.method === 'POST') requested.push(request.url);
      response.statusCode = request.headers.authorization === 'Bearer right' ? 200 : 401;
      response.end('{"ok":true}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = (key: string) =>
      run(process.execPath, ['deploy/daily/main.ts'], { cwd: root, env: { GATEWAY_URL: address, PLATFORM_KEY: key } });
    try {
      expect((await call('right')).stdout).toContain('200 {"ok":true}');
      await expect(call('wrong')).rejects.toMatchObject({ code: 1 });
      expect(requested).toEqual(['/api/cron/daily', '/api/cron/daily']);
    } finally {
      server.close();
    }
  });
});
