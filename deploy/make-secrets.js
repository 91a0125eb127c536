/*
 * Makes the secrets of a deployment, once: npm run secrets (or node deploy/make-secrets.js) writes those that .env lacks and leaves the
 * others as they are. With --kubernetes local or production it also writes k8s/secrets/<overlay>, which is that overlay
 * with its Secrets, for kubectl apply -k: their names end in a hash of what they hold, so that a changed one is a
 * rollout. The database server's address goes into them (--database-host, default postgres:5432) and what follows its
 * name (--database-options 'sslmode=verify-full&sslrootcert=…'). Needs no installed packages, and runs on Node 20: a host of
 * containers has neither `npm ci` nor Node 24.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';

const services = ['gateway', 'catalog', 'checkout', 'billing', 'affiliate', 'metrics', 'webhook-dispatcher'];
/** @param {string} prefix @param {string} service */
const variable = (prefix, service) => `${prefix}_${service.toUpperCase().replaceAll('-', '_')}`;

const names = [
  'POSTGRES_PASSWORD',
  ...services.map((service) => variable('DB_PASSWORD', service)),
  ...services.map((service) => variable('NATS_PASSWORD', service)),
  'NATS_PASSWORD_KEEPER',
  'KEY_PEPPER',
  'PLATFORM_KEY',
  'SECRETS_KEY',
  'BILLING_SECRETS_KEY',
  'INSTALLATION_ID',
];

/** 192 bits, safe in URLs; the letter in front because nats-server reads a value that begins with a digit as a number. */
const newSecret = () => `s${randomBytes(24).toString('hex')}`;

/**
 * Writes what is missing, says so, and returns all of them.
 * @param {string} file
 * @returns {Record<string, string>}
 */
function completeSecrets(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kept = /** @type {Record<string, string>} */ (parseEnv(text));
  const missing = names.filter((name) => !kept[name]);
  const made = Object.fromEntries(missing.map((name) => [name, newSecret()]));
  const lines = missing.map((name) => `${name}=${made[name]}\n`).join('');
  const apart = text === '' || text.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) writeFileSync(file, text + apart + lines, { mode: 0o600 });
  const said = missing.length === 0 ? 'nothing to add' : `wrote ${missing.join(', ')}`;
  process.stderr.write(`${file}: ${said}\n`);
  return { ...kept, ...made };
}

/** @typedef {Record<string, string>} Values */

/**
 * By the name of a Secret what it holds: one for each service, and for the keeper of the streams, with what it alone may know; and what all
 * services are given, which no copy of the databases carries.
 * @param {Values} secrets
 * @param {{ host: string, options: string }} database
 * @returns {Record<string, Values>}
 */
function serviceSecrets(secrets, database) {
  /** @type {Record<string, string[]>} */
  const ownSecrets = {
    gateway: ['KEY_PEPPER', 'KEY_PEPPER_PREVIOUS', 'PLATFORM_KEY'],
    billing: ['BILLING_SECRETS_KEY', 'BILLING_SECRETS_KEY_PREVIOUS'],
    'webhook-dispatcher': ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'],
  };
  const query = database.options === '' ? '' : `?${database.options}`;
  const entries = services.map((service) => {
    const user = service.replaceAll('-', '_');
    const password = secrets[variable('DB_PASSWORD', service)];
    const values = {
      DATABASE_URL: `postgres://${user}:${password}@${database.host}/${user}${query}`,
      NATS_PASSWORD: secrets[variable('NATS_PASSWORD', service)] ?? '',
      ...pick(secrets, ownSecrets[service] ?? []),
    };
    return [service, values];
  });
  return {
    ...Object.fromEntries(entries),
    keeper: { NATS_PASSWORD: secrets.NATS_PASSWORD_KEEPER ?? '' },
    installation: pick(secrets, ['INSTALLATION_ID']),
  };
}

/**
 * What the servers inside the local overlay are given.
 * @param {Values} secrets
 * @returns {Record<string, Values>}
 */
function serverSecrets(secrets) {
  /** @param {string} prefix */
  const startingWith = (prefix) => names.filter((name) => name.startsWith(prefix));
  return {
    postgres: pick(secrets, ['POSTGRES_PASSWORD', ...startingWith('DB_PASSWORD_')]),
    nats: pick(secrets, startingWith('NATS_PASSWORD_')),
  };
}

/**
 * Those that there are: the one before a secret is there while it is being rotated.
 * @param {Values} secrets
 * @param {readonly string[]} wanted
 * @returns {Values}
 */
function pick(secrets, wanted) {
  return Object.fromEntries(wanted.flatMap((name) => (secrets[name] ? [[name, secrets[name]]] : [])));
}

/**
 * The overlay with its Secrets: a file for each, and the kustomization that makes Secrets of them.
 * @param {string} folder
 * @param {string} overlay
 * @param {Record<string, Values>} secrets
 */
function writeKustomization(folder, overlay, secrets) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, values] of Object.entries(secrets)) {
    const lines = Object.entries(values).map(([variableName, value]) => `${variableName}=${value}\n`);
    writeFileSync(join(folder, `${name}.env`), lines.join(''), { mode: 0o600 });
  }
  const generated = Object.keys(secrets).map((name) => `  - { name: ${name}, envs: [${name}.env] }\n`);
  const kustomization = `# Written by npm run secrets -- --kubernetes ${overlay}.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../overlays/${overlay}]
generatorOptions:
  labels: { app.kubernetes.io/part-of: funnelry }
secretGenerator:
${generated.join('')}`;
  writeFileSync(join(folder, 'kustomization.yaml'), kustomization);
  process.stderr.write(`${folder}: kubectl apply -k ${folder}\n`);
}

const { values } = parseArgs({
  options: {
    file: { type: 'string', default: '.env' },
    kubernetes: { type: 'string' },
    folder: { type: 'string' },
    'database-host': { type: 'string', default: 'postgres:5432' },
    'database-options': { type: 'string', default: '' },
  },
});
const overlay = values.kubernetes;
if (overlay !== undefined && overlay !== 'local' && overlay !== 'production') {
  process.stderr.write(`--kubernetes takes local or production, not ${overlay}\n`);
  process.exit(1);
}
const secrets = completeSecrets(values.file);
if (overlay !== undefined) {
  const database = { host: values['database-host'], options: values['database-options'] };
  const servers = overlay === 'local' ? serverSecrets(secrets) : {};
  const folder = values.folder ?? join('k8s/secrets', overlay);
  writeKustomization(folder, overlay, { ...serviceSecrets(secrets, database), ...servers });
}
