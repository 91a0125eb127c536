/*
 * Makes the secrets of a deployment, once: node deploy/make-secrets.ts writes those that .env lacks and leaves the
 * others as they are. With --kubernetes it prints them as Secret objects besides, for kubectl apply -f -; the database
 * server's address goes into them (--database-host, default postgres:5432). Needs no installed packages.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';

const services = ['gateway', 'catalog', 'checkout', 'billing', 'affiliate', 'metrics', 'webhook-dispatcher'];
const variable = (prefix: string, service: string): string => `${prefix}_${service.toUpperCase().replaceAll('-', '_')}`;

const names = [
  'POSTGRES_PASSWORD',
  ...services.map((service) => variable('DB_PASSWORD', service)),
  ...services.map((service) => variable('NATS_PASSWORD', service)),
  'KEY_PEPPER',
  'PLATFORM_KEY',
  'SECRETS_KEY',
];

/** 192 bits, safe in URLs; the letter in front because nats-server reads a value that begins with a digit as a number. */
const newSecret = (): string => `s${randomBytes(24).toString('hex')}`;

/** Writes what is missing, says so, and returns all of them. */
function completeSecrets(file: string): Record<string, string> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kept = parseEnv(text) as Record<string, string>;
  const missing = names.filter((name) => !kept[name]);
  const made = Object.fromEntries(missing.map((name) => [name, newSecret()]));
  const lines = missing.map((name) => `${name}=${made[name]}\n`).join('');
  const apart = text === '' || text.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) writeFileSync(file, text + apart + lines, { mode: 0o600 });
  const said = missing.length === 0 ? 'nothing to add' : `wrote ${missing.join(', ')}`;
  process.stderr.write(`${file}: ${said}\n`);
  return { ...kept, ...made };
}

/** One Secret for each service with what it alone may know, and one for each server that the local overlay runs. */
function kubernetesSecrets(secrets: Record<string, string>, databaseHost: string): object {
  const pick = (wanted: readonly string[]) => Object.fromEntries(wanted.map((name) => [name, secrets[name] ?? '']));
  const ownSecrets: Record<string, string[]> = {
    gateway: ['KEY_PEPPER', 'PLATFORM_KEY'],
    'webhook-dispatcher': ['SECRETS_KEY'],
  };
  const perService = services.map((service) => {
    const user = service.replaceAll('-', '_');
    const password = secrets[variable('DB_PASSWORD', service)];
    return secretObject(service, {
      DATABASE_URL: `postgres://${user}:${password}@${databaseHost}/${user}`,
      NATS_PASSWORD: secrets[variable('NATS_PASSWORD', service)] ?? '',
      ...pick(ownSecrets[service] ?? []),
    });
  });
  const startingWith = (prefix: string) => names.filter((name) => name.startsWith(prefix));
  const servers = [
    secretObject('postgres', pick(['POSTGRES_PASSWORD', ...startingWith('DB_PASSWORD_')])),
    secretObject('nats', pick(startingWith('NATS_PASSWORD_'))),
  ];
  return { apiVersion: 'v1', kind: 'List', items: [...perService, ...servers] };
}

function secretObject(name: string, stringData: Record<string, string>): object {
  const labels = { 'app.kubernetes.io/part-of': 'funnelry' };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, type: 'Opaque', stringData };
}

const { values } = parseArgs({
  options: {
    file: { type: 'string', default: '.env' },
    kubernetes: { type: 'boolean', default: false },
    'database-host': { type: 'string', default: 'postgres:5432' },
  },
});
const secrets = completeSecrets(values.file);
if (values.kubernetes) {
  process.stdout.write(`${JSON.stringify(kubernetesSecrets(secrets, values['database-host']), null, 2)}\n`);
}
