import type { NatsOptions } from './connect.ts';

/** The settings of a service that say where NATS is and who it is there. */
export interface NatsSettings {
  readonly NATS_URL: string;
  readonly NATS_USER?: string | undefined;
  readonly NATS_PASSWORD?: string | undefined;
  readonly NATS_TLS_CA?: string | undefined;
  readonly NATS_TLS_CERT?: string | undefined;
  readonly NATS_TLS_KEY?: string | undefined;
}

/** With `tls://` or any of the files, the connection is encrypted or there is none; else it is if the server offers it. */
export function natsOptions(settings: NatsSettings): Omit<NatsOptions, 'service'> {
  const { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password } = settings;
  const { NATS_TLS_CA: caFile, NATS_TLS_CERT: certFile, NATS_TLS_KEY: keyFile } = settings;
  const files = Object.entries({ caFile, certFile, keyFile }).filter(([, file]) => file !== undefined);
  const insists = files.length > 0 || /^tls:/.test(url);
  return { url, user, password, ...(insists ? { tls: Object.fromEntries(files) } : {}) };
}
