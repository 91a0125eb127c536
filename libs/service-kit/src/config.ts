import { accessSync, constants } from 'node:fs';
import { hourMs, minuteMs } from '@app/contracts/durations';
import { z } from 'zod';

/** Every problem of a service's settings at once, one a line, never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Reads settings from the environment. An empty variable counts as absent; those that the schema does not name are ignored. */
export function parseConfig<S extends z.ZodType>(schema: S, env: Record<string, string | undefined>): z.infer<S> {
  // The schema gets only the variables that it names: a strict one would refuse PATH and HOME.
  const known = schema instanceof z.ZodObject ? schema.shape : undefined;
  const given = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && value !== '' && (known === undefined || Object.hasOwn(known, name)),
    ),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => {
      const missing = issue.message.endsWith('received undefined');
      return `${issue.path.join('.')}: ${missing ? 'is required' : issue.message}`;
    }),
  );
}

/** A function that reads the settings of a schema: from the environment of the process, unless a test gives another. */
export const configReader =
  <S extends z.ZodType>(schema: S) =>
  (env: Record<string, string | undefined> = process.env): z.infer<S> =>
    parseConfig(schema, env);

/** `enabled` or `disabled`, nothing that could be read both ways. */
export const switchSetting = (fallback: 'enabled' | 'disabled') => z.enum(['enabled', 'disabled']).default(fallback);

export const integerSetting = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** A file that is there and may be read: found out at the start, not at the first connection. */
const fileSetting = () => z.string().refine(isReadable, 'no such file, or it may not be read').optional();

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where traces and metrics go. */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z.url().optional(),
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false'),
  // OpenTelemetry's SDK reads these itself. Here a mistyped one is a problem at the start, and no setting that does nothing.
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf', 'http/json', 'grpc']).default('http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** Milliseconds between two exports of metrics. */
  OTEL_METRIC_EXPORT_INTERVAL: integerSetting(1_000, hourMs, minuteMs),
  /** `/metrics` beside `/healthz`, on the health port alone. */
  METRICS_PAGE: switchSetting('disabled'),
};

/** Settings that every service has. */
export const commonSettings = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  DATABASE_POOL_MAX: integerSetting(1, 100, 10),
  NATS_URL: z.string().min(1).default('nats://127.0.0.1:4222'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_TLS_CA: fileSetting(),
  NATS_TLS_CERT: fileSetting(),
  NATS_TLS_KEY: fileSetting(),
  HEALTH_PORT: integerSetting(0, 65_535, 0),
  HEALTH_HOST: z.string().default('0.0.0.0'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  CLOCK_CONTROL: switchSetting('disabled'),
  /** What no copy of the databases carries; left out, only a restored dump is known as a copy. */
  INSTALLATION_ID: z.string().min(1).max(200).optional(),
  ...telemetrySettings,
};

/** What all streams are to be like. */
export const streamSettings = {
  /** Copies of each stream in a JetStream cluster. */
  STREAM_REPLICAS: integerSetting(1, 5, 1),
  /** How large each stream may become; 4 GiB are about four million events. */
  STREAM_MAX_BYTES: integerSetting(64 * 1024 ** 2, 2 ** 50, 4 * 1024 ** 3),
};

const {
  DATABASE_URL: _url,
  DATABASE_POOL_MAX: _pool,
  CLOCK_CONTROL: _clock,
  INSTALLATION_ID: _installation,
  ...withoutDatabase
} = commonSettings;

/** The keeper of the streams is a process like the services, without a database. */
export const keeperConfig = z.object({ ...withoutDatabase, ...streamSettings });

/** The one setting that migrating needs: a migration job is given no other secrets. */
export function readDatabaseUrl(env: Record<string, string | undefined> = process.env): string {
  return parseConfig(z.object({ DATABASE_URL: commonSettings.DATABASE_URL }), env).DATABASE_URL;
}
