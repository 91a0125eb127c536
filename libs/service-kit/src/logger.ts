import { pino } from 'pino';
import { LogFile } from './log-file.ts';

export type Logger = pino.Logger;

export interface LoggerOptions {
  /** Left out where each part of a process names itself by a child logger. */
  readonly service?: string;
  readonly level: string;
  /** A file, which rotates, or a descriptor; standard output unless given. */
  readonly destination?: string | number;
  /** Called when the log itself cannot be written. Default: standard error. */
  readonly warn?: (line: string) => void;
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

/** JSON lines, written in blocks and flushed at exit; secrets and the values of rows are masked. */
export function createLogger({ service, level, destination = 1, warn }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: service === undefined ? {} : { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '[redacted]' },
      serializers: { err: errorFields },
      hooks: {
        // Where a line has no message, pino would take the error's as it is.
        logMethod(args, method) {
          const [first, text] = args as [unknown, unknown];
          const err = first instanceof Error ? first : (first as { err?: unknown } | null)?.err;
          if (err instanceof Error && text === undefined) {
            return method.apply(this, [first instanceof Error ? { err } : first, safeMessage(err)] as never);
          }
          return method.apply(this, args);
        },
        streamWrite: mask,
      },
    },
    new LogFile({ destination, ...(warn === undefined ? {} : { warn }) }),
  );
}

export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

function errorFields(err: unknown): unknown {
  if (!(err instanceof Error)) return String(err);
  const { code, constraint } = err as { code?: unknown; constraint?: unknown };
  const cause = err.cause === undefined ? {} : { cause: errorFields(err.cause) };
  const message = safeMessage(err);
  return {
    type: err.name,
    message,
    stack: (err.stack ?? '').replaceAll(err.message, () => message),
    ...(code === undefined ? {} : { code }),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...cause,
  };
}

/**
 * PostgreSQL names the values that it refuses: all of a row's key in `detail`, which the ORM adds to the message, and what it
 * could not read (class 22) in the message itself. The rest names tables and constraints.
 */
function safeMessage(err: Error): string {
  const { severity, code } = err as { severity?: unknown; code?: unknown };
  if (severity === undefined || typeof code !== 'string') return err.message;
  const [first = ''] = err.message.split('\n - detail: ');
  return code.startsWith('22') ? first.replace(/".*"/s, '"…"') : first;
}

/**
 * Keys, also of Stripe, signing and client secrets, the passwords of URLs and email addresses, wherever in a line they stand; never across a JSON
 * string's end. What mail servers say names buyers.
 */
function mask(text: string): string {
  if (!/fnl_|whsec_|[sr]k_(?:live|test)_|_secret_|:\/\/|@/.test(text)) return text;
  return text
    .replace(/fnl_[0-9A-Za-z]{8,}/g, 'fnl_[redacted]')
    .replace(/whsec_[0-9A-Za-z+/=]{8,}/g, 'whsec_[redacted]')
    .replace(/\b([sr]k_(?:live|test)_)[0-9A-Za-z]+/g, '$1[redacted]')
    .replace(/\b((?:pi|seti)_[0-9A-Za-z]+_secret_)[0-9A-Za-z]+/g, '$1[redacted]')
    .replace(/(postgres(?:ql)?|nats|smtps?):\/\/([^:@/\s"]+):[^@/\s"]+@/g, '$1://$2:[redacted]@')
    .replace(escapeOrWord, (word) => (word.includes('@') ? word.replace(emailAddress, '[email]') : word));
}

/** An escape of JSON, so that none is torn apart, or a word as it may stand in an address. */
const escapeOrWord = /\\(?:u[\da-f]{4}|.)|[^\s"'<>()[\]{},:;\\/=]+/gi;
const emailAddress = /^.+@(?:[\p{L}\d-]+\.)+\p{L}[\p{L}\d-]+/u;
