import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino } from 'pino';

export type Logger = pino.Logger;

export interface LoggerOptions {
  /** Left out where each part of a process names itself by a child logger. */
  readonly service?: string;
  readonly level: string;
  /** A file or a descriptor; standard output unless given. */
  readonly destination?: string | number;
}

const secretFields = [
  'authorization',
  'cookie',
  'apiKey',
  'key',
  'password',
  'secret',
  'token',
  'paymentMethod',
  'platformKey',
];
const redacted = [...secretFields, ...secretFields.map((field) => `*.${field}`), 'headers["set-cookie"]'];

/** JSON lines, written in blocks and flushed at exit; secrets are masked by field and by pattern. */
export function createLogger({ service, level, destination = 1 }: LoggerOptions): Logger {
  const sink = pino.destination({ dest: descriptorOf(destination), sync: false, minLength: 4096 });
  const timer = setInterval(() => sink.flush(), 1_000);
  timer.unref();
  return pino(
    {
      level,
      base: service === undefined ? {} : { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '[redacted]' },
      serializers: { err: errorFields },
      // The whole line: pino repeats an error's message as the line's own when there is none.
      hooks: { streamWrite: mask },
    },
    sink,
  );
}

/** Opened here and now: pino cannot flush at exit into a file that is still being opened. */
function descriptorOf(destination: string | number): number {
  if (typeof destination === 'number') return destination;
  mkdirSync(dirname(destination), { recursive: true });
  return openSync(destination, 'a', 0o600);
}

export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

function errorFields(err: unknown): unknown {
  if (!(err instanceof Error)) return String(err);
  const { code } = err as { code?: unknown };
  const cause = err.cause === undefined ? {} : { cause: errorFields(err.cause) };
  return {
    type: err.name,
    message: err.message,
    stack: err.stack ?? '',
    ...(code === undefined ? {} : { code }),
    ...cause,
  };
}

/** Keys, signing secrets and the passwords of URLs, wherever in a line they stand; never across a JSON string's end. */
export function mask(text: string): string {
  if (!/fnl_|whsec_|:\/\//.test(text)) return text;
  return text
    .replace(/fnl_[0-9A-Za-z]{8,}/g, 'fnl_[redacted]')
    .replace(/whsec_[0-9A-Za-z+/=]{8,}/g, 'whsec_[redacted]')
    .replace(/(postgres(?:ql)?|nats):\/\/([^:@/\s"]+):[^@/\s"]+@/g, '$1://$2:[redacted]@');
}
