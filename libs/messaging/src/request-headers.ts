import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';

interface CommonContext {
  /** The account the caller acts for; empty for requests of the deployment itself. */
  readonly accountId: string;
  /** The caller's request id, the same in every log line and in the response at the edge. */
  readonly requestId: string;
  /** 26 characters that name this command; a repeated command has the same. Empty for reads. */
  readonly commandId: string;
  readonly traceparent: string | undefined;
}

/** What rides with every request beside its input. */
export interface SentContext extends CommonContext {
  /** For how long the caller waits for this attempt. A duration: the clocks of two machines need not agree. */
  readonly timeoutMs: number;
}

export interface RequestContext extends CommonContext {
  /** Milliseconds since the epoch, by this machine's clock, after which the caller no longer waits. */
  readonly deadlineMs: number;
}

const names = {
  account: 'account',
  request: 'request-id',
  command: 'command-id',
  timeout: 'timeout-ms',
  trace: 'traceparent',
  working: 'working',
};

/** How long one attempt waits for its answer; also what a request that names no time is given. */
export const attemptLimitMs = 5_000;

export function writeContext(context: SentContext): MsgHdrs {
  const written = headers();
  if (context.accountId !== '') written.append(names.account, context.accountId);
  written.append(names.request, context.requestId);
  if (context.commandId !== '') written.append(names.command, context.commandId);
  written.append(names.timeout, String(Math.round(context.timeoutMs)));
  if (context.traceparent !== undefined) written.append(names.trace, context.traceparent);
  return written;
}

export function readContext(received: MsgHdrs | undefined): RequestContext {
  const get = (name: string): string => received?.get(name) ?? '';
  return {
    accountId: get(names.account),
    requestId: get(names.request),
    commandId: get(names.command),
    deadlineMs: Date.now() + Number(get(names.timeout) || attemptLimitMs),
    traceparent: get(names.trace) || undefined,
  };
}

/** Checks whether a service is there; each of its replicas replies. */
export const pingSubject = (service: string): string => `svc.${service}.ping`;

/** Sent while a request is worked on: its caller then sends it to no other replica. */
export function workingHeaders(): MsgHdrs {
  const written = headers();
  written.set(names.working, '1');
  return written;
}

export const isWorking = (message: Msg): boolean => message.headers?.get(names.working) === '1';
