import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, commonSettings, integerSetting, parseConfig, switchSetting } from './config.ts';

const DATABASE_URL = 'postgres://shop:s3cret-word@db.internal:5432/shop';

function problemsOf(schema: z.ZodType, env: Record<string, string | undefined>): readonly string[] {
  try {
    parseConfig(schema, env);
  } catch (err) {
    if (err instanceof ConfigError) return err.problems;
    throw err;
  }
  return [];
}

test('everything but the database has a default, and an empty variable counts as absent', () => {
  const config = parseConfig(z.object({ ...commonSettings }), {
    DATABASE_URL,
    LOG_LEVEL: '',
    NATS_USER: '',
    PATH: '/bin',
  });
  expect(config).toEqual({
    NATS_URL: 'nats://127.0.0.1:4222',
    DATABASE_URL,
    DATABASE_POOL_MAX: 10,
    HEALTH_PORT: 0,
    HEALTH_HOST: '0.0.0.0',
    LOG_LEVEL: 'info',
    CLOCK_CONTROL: 'disabled',
    OTEL_METRIC_EXPORT_INTERVAL: 60_000,
    OTEL_SDK_DISABLED: 'false',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_TRACES_SAMPLER_ARG: 1,
    METRICS_PAGE: 'disabled',
  });
});

test('a strict schema still ignores what the environment has for others', () => {
  expect(parseConfig(z.strictObject({ SIZE: integerSetting(1, 9, 5) }), { PATH: '/bin', SIZE: '7' })).toEqual({
    SIZE: 7,
  });
});

test('every problem is listed at once, by variable, without any value', () => {
  const env = {
    DATABASE_POOL_MAX: '1000',
    HEALTH_PORT: 's3cret-word',
    LOG_LEVEL: 's3cret-word',
    CLOCK_CONTROL: 's3cret-word',
    OTEL_EXPORTER_OTLP_ENDPOINT: 's3cret-word',
  };
  const problems = problemsOf(z.object({ ...commonSettings }), env);
  expect(problems.map((line) => line.split(':')[0])).toEqual([
    'DATABASE_URL',
    'DATABASE_POOL_MAX',
    'HEALTH_PORT',
    'LOG_LEVEL',
    'CLOCK_CONTROL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ]);
  expect(problems).toContain('DATABASE_URL: is required');
  expect(new ConfigError(problems).message.split('\n')).toHaveLength(problems.length + 1);
  expect(new ConfigError(problems).message).not.toContain('s3cret-word');
});

test('a database URL of another kind is refused without showing its password', () => {
  const problems = problemsOf(z.object({ ...commonSettings }), { DATABASE_URL: 'mysql://root:s3cret-word@db/shop' });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^DATABASE_URL: (?!.*s3cret-word)/);
});

test('whole numbers keep their bounds', () => {
  const schema = z.object({ SIZE: integerSetting(-5, 5, 0) });
  expect(['-5', '5', undefined].map((SIZE) => parseConfig(schema, { SIZE }).SIZE)).toEqual([-5, 5, 0]);
  for (const SIZE of ['-6', '6', '1.5', 'two', '12345678901234567890']) {
    expect(problemsOf(schema, { SIZE })[0]).toMatch(/^SIZE: /);
  }
});

test('a switch is enabled or disabled', () => {
  const schema = z.object({ SIGNUP: switchSetting('enabled') });
  expect(parseConfig(schema, {}).SIGNUP).toBe('enabled');
  expect(parseConfig(schema, { SIGNUP: 'disabled' }).SIGNUP).toBe('disabled');
  expect(problemsOf(schema, { SIGNUP: 'true' })).toHaveLength(1);
});
