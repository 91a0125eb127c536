import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { hasKubectl, kustomize, objectsOf, pastRestricted, validate } from './support/kubernetes.ts';
import { read } from './support/repository.ts';

/**
 * Guarantee: what the examples for production name is there. The kinds of operators have no schema here: what is used of them is compared with
 * what their documentation has, field by field.
 */
// biome-ignore lint/suspicious/noExplicitAny: what a YAML file holds is only known once it is read.
type Yaml = any;
const folder = 'k8s/examples/production';
const own = (file: string): Yaml[] => objectsOf(read(`${folder}/${file}`));

const quantity = z.string().regex(/^\d+(\.\d+)?(m|[KMGT]i)?$/);
const resources = z.strictObject({
  requests: z.record(z.string(), quantity),
  limits: z.record(z.string(), quantity),
});
const meta = z.strictObject({ name: z.string() });
const key = z.strictObject({ name: z.string(), key: z.string() });
const plugin = 'barman-cloud.cloudnative-pg.io';
const zipped = z.strictObject({ compression: z.enum(['gzip', 'bzip2', 'snappy', 'lz4', 'xz', 'zstd']) });

/** Of CloudNativePG 1.27, its Barman Cloud plugin 0.5 and the Prometheus operator, what is used. */
const custom: Record<string, z.ZodType> = {
  'postgresql.cnpg.io/v1 Cluster': z.strictObject({
    instances: z.literal(3),
    imageName: z.string().regex(/postgresql:18/),
    enableSuperuserAccess: z.boolean(),
    postgresql: z.strictObject({
      synchronous: z.strictObject({
        method: z.enum(['any', 'first']),
        number: z.int(),
        dataDurability: z.enum(['required', 'preferred']),
      }),
      parameters: z.record(z.string(), z.string()),
    }),
    storage: z.strictObject({ size: quantity }),
    walStorage: z.strictObject({ size: quantity }),
    resources,
    priorityClassName: z.string(),
    affinity: z.strictObject({ topologyKey: z.string() }),
    plugins: z.tuple([
      z.strictObject({
        name: z.literal(plugin),
        isWALArchiver: z.literal(true),
        parameters: z.strictObject({ barmanObjectName: z.string() }),
      }),
    ]),
  }),
  'postgresql.cnpg.io/v1 ScheduledBackup': z.strictObject({
    // Six fields, seconds first.
    schedule: z.string().regex(/^\S+( \S+){5}$/),
    backupOwnerReference: z.enum(['none', 'self', 'cluster']),
    cluster: meta,
    method: z.literal('plugin'),
    pluginConfiguration: z.strictObject({ name: z.literal(plugin) }),
  }),
  'barmancloud.cnpg.io/v1 ObjectStore': z.strictObject({
    retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
    configuration: z.strictObject({
      destinationPath: z.string().startsWith('s3://'),
      endpointURL: z.url(),
      s3Credentials: z.strictObject({ accessKeyId: key, secretAccessKey: key }),
      wal: zipped,
      data: zipped,
    }),
  }),
  'monitoring.coreos.com/v1 PodMonitor': z.strictObject({
    selector: z.strictObject({
      matchLabels: z.record(z.string(), z.string()),
      matchExpressions: z.array(z.looseObject({})),
    }),
    podMetricsEndpoints: z.array(
      z.strictObject({ port: z.string(), path: z.string(), interval: z.string().regex(/^\d+s$/) }),
    ),
  }),
  'monitoring.coreos.com/v1 PrometheusRule': z.strictObject({ groups: z.array(z.looseObject({ name: z.string() })) }),
};

/** @throws what is wrong with an object, of Kubernetes' own or of an operator */
function validateAny(object: Yaml): void {
  const schema = custom[`${object.apiVersion} ${object.kind}`];
  if (schema === undefined) validate(object);
  else schema.parse(object.spec);
}

const files = parse(read(`${folder}/kustomization.yaml`)).resources.filter((name: string) => name.endsWith('.yaml'));
test.each<string>(files)('%s has fields that Kubernetes and its operators know', (file) => {
  for (const object of own(file)) {
    validateAny(object);
    expect(object.metadata.name).toBeTypeOf('string');
  }
});

test('the nightly backup is of the cluster, into the store that archives its log, and a commit is on two servers', () => {
  const [cluster, store, backup] = own('postgres.yaml');
  expect(cluster.spec.plugins[0].parameters.barmanObjectName).toBe(store.metadata.name);
  expect(backup.spec.cluster.name).toBe(cluster.metadata.name);
  const parameters = cluster.spec.postgresql.parameters;
  const compose: string[] = parse(read('docker-compose.yml'), { merge: true }).services.postgres.command;
  const logs = compose.filter((part) => part.startsWith('log_')).map((part) => part.split('='));
  for (const [name = '', value] of logs) expect([name, parameters[name]]).toEqual([name, value]);
  expect(Number(parameters.max_connections)).toBeGreaterThan(200);
});

test('the rules are those of deploy/observability', () => {
  const [rule] = own('prometheus-rule.yaml');
  expect(rule.spec.groups).toEqual(parse(read('deploy/observability/rules.yaml')).groups);
});

/** Of the chart "nats" 1 and later, what is used: its other values are patches of what it makes. */
const patch = z.array(
  z.strictObject({ op: z.literal('add'), path: z.string().endsWith('/-'), value: z.looseObject({ name: z.string() }) }),
);
const chart = z.strictObject({
  config: z.strictObject({
    cluster: z.strictObject({ enabled: z.literal(true), replicas: z.int() }),
    jetstream: z.strictObject({
      enabled: z.literal(true),
      fileStore: z.strictObject({ pvc: z.strictObject({ size: quantity }) }),
    }),
    monitor: z.strictObject({ enabled: z.literal(true) }),
    merge: z.strictObject({ '00$include': z.string() }),
  }),
  podTemplate: z.strictObject({
    topologySpreadConstraints: z.record(
      z.string(),
      z.strictObject({ maxSkew: z.int(), whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']) }),
    ),
    merge: z.strictObject({ spec: z.strictObject({ priorityClassName: z.string() }) }),
    patch,
  }),
  container: z.strictObject({
    env: z.strictObject({ GOMEMLIMIT: z.string() }),
    merge: z.strictObject({ envFrom: z.array(z.strictObject({ secretRef: meta })), resources }),
    patch,
  }),
  podDisruptionBudget: z.strictObject({ enabled: z.literal(true) }),
});

test('NATS has three servers, takes its accounts from our configuration, and is where the services look for it', () => {
  const values: Yaml = parse(read(`${folder}/helm/nats-values.yaml`));
  chart.parse(values);
  const classes = own('priority-classes.yaml').map(({ metadata }) => metadata.name);
  expect(classes).toContain(values.podTemplate.merge.spec.priorityClassName);
  expect(values.config.cluster).toEqual({ enabled: true, replicas: 3 });
  const volume = values.podTemplate.patch[0].value;
  const mount = values.container.patch[0].value;
  expect(mount.name).toBe(volume.name);
  // The chart takes an include as a path from /etc/nats-config.
  expect(join('/etc/nats-config', values.config.merge['00$include'])).toBe(`${mount.mountPath}/nats.conf`);
  expect(read('k8s/overlays/production/kustomization.yaml')).toContain('NATS_URL=nats://nats.messaging.svc:4222');
});

test.runIf(hasKubectl)(
  'rendered, all is valid, every pod has its account, priority and bounds and keeps to the strictest standard, and no policy opens every private network',
  () => {
    const rendered = kustomize(folder);
    for (const object of rendered) validateAny(object);
    const of = (kind: string): Yaml[] => rendered.filter((object) => object.kind === kind);
    const pods: Yaml[] = [
      ...of('Deployment').map(({ metadata, spec }) => ({ name: metadata.name, ...spec.template.spec })),
      ...of('CronJob').map(({ metadata, spec }) => ({ name: metadata.name, ...spec.jobTemplate.spec.template.spec })),
    ];
    expect(pods.map(({ name }) => name).toSorted()).toEqual([...serviceNames, 'daily', 'keeper'].toSorted());
    const classes = of('PriorityClass').map(({ metadata }) => metadata.name);
    for (const { name, serviceAccountName, priorityClassName, containers } of pods) {
      expect([name, serviceAccountName]).toEqual([name, of('ServiceAccount')[0].metadata.name]);
      expect(classes).toContain(priorityClassName);
      const { requests, limits } = containers[0].resources;
      for (const bound of [requests, limits]) expect(bound).toHaveProperty('ephemeral-storage');
    }
    // An autoscaler adds a replica at 70 % of what is requested: a processor, and not a quarter of one.
    for (const { spec } of of('HorizontalPodAutoscaler'))
      expect(pods.find(({ name }) => name === spec.scaleTargetRef.name).containers[0].resources.requests.cpu).toBe('1');
    expect(of('ServiceAccount')[0].imagePullSecrets).toEqual([{ name: 'registry' }]);
    // Else its own pods would be refused.
    expect(of('Namespace')[0].metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
    for (const { name, ...spec } of pods) expect([name, pastRestricted(spec)]).toEqual([name, []]);
    const policies = of('NetworkPolicy');
    const blocks = policies.flatMap(({ spec }) =>
      [...(spec.egress ?? []), ...(spec.ingress ?? [])].flatMap((way: Yaml) => way.to ?? way.from ?? []),
    );
    const open = blocks.flatMap(({ ipBlock }: Yaml) => (ipBlock === undefined ? [] : [ipBlock]));
    expect(open.length).toBeGreaterThan(0);
    for (const { cidr, except = [] } of open)
      if (cidr !== '169.254.20.10/32')
        expect(except).toEqual(expect.arrayContaining([cidr.includes(':') ? 'fc00::/7' : '10.0.0.0/8']));
    const reached = policies.find(({ metadata }) => metadata.name === 'gateway-is-reached').spec.ingress;
    expect(reached.every(({ from }: Yaml) => from !== undefined)).toBe(true);
    const platform = of('ConfigMap').find(({ metadata }) => metadata.name.startsWith('platform-'));
    expect(platform.data).toMatchObject({ METRICS_PAGE: 'enabled', STREAM_REPLICAS: '3' });
    const gateway = of('ConfigMap').find(({ metadata }) => metadata.name.startsWith('gateway-'));
    expect([gateway.data.SIGNUP, `https://${of('Ingress')[0].spec.tls[0].hosts[0]}`]).toEqual([
      'closed',
      gateway.data.PUBLIC_URL,
    ]);
  },
);

test('a pod that does not keep to the strictest standard is found', () => {
  const fine = {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ name: 'a', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
  };
  expect(pastRestricted(fine)).toEqual([]);
  const faults = [
    { ...fine, securityContext: {} },
    { ...fine, hostNetwork: true },
    { ...fine, volumes: [{ name: 'socket', hostPath: { path: '/run' } }] },
    { ...fine, initContainers: [{ name: 'b' }] },
  ];
  expect(faults.map((pod) => pastRestricted(pod).length > 0)).toEqual([true, true, true, true]);
});
