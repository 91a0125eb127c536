import { DomainError } from '@app/contracts/errors';
import { usualWaiting } from '@app/contracts/time-outs';
import { headers, type MsgHdrs } from '@nats-io/transport-node';

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
  /** For how long the caller still waits. A duration: the clocks of two machines need not agree. */
  readonly timeoutMs: number;
}

export interface RequestContext extends CommonContext {
  /** Milliseconds since the epoch, by this machine's clock, after which the caller may no longer wait. */
  readonly deadlineMs: number;
}

const names = {
  account: 'account',
  request: 'request-id',
  command: 'command-id',
  timeout: 'timeout-ms',
  trace: 'traceparent',
};

/** The read that every service serves: whether it is there. */
export const presenceName = 'ping';

export function writeContext(context: SentContext): MsgHdrs {
  const written = headers();
  if (context.accountId !== '') written.append(names.account, context.accountId);
  written.append(names.request, context.requestId);
  if (context.commandId !== '') written.append(names.command, context.commandId);
  written.append(names.timeout, String(Math.round(context.timeoutMs)));
  if (context.traceparent !== undefined) written.append(names.trace, context.traceparent);
  return written;
}

/** @param maxAgeMs how long ago it was sent at most: its caller has waited since */
export function readContext(received: MsgHdrs | undefined, maxAgeMs: number): RequestContext {
  const get = (name: string): string => received?.get(name) ?? '';
  const waitsMs = Number(get(names.timeout) || usualWaiting.command.timeoutMs);
  return {
    accountId: get(names.account),
    requestId: get(names.request),
    commandId: get(names.command),
    deadlineMs: Date.now() + waitsMs - maxAgeMs,
    traceparent: get(names.trace) || undefined,
  };
}

/** Whether the caller may have given up: nothing is begun for it any more. What is begun is finished. */
export const isLate = ({ deadlineMs }: Pick<RequestContext, 'deadlineMs'>): boolean => Date.now() >= deadlineMs;

/**
 * Called before the first row of a command is written.
 * @param context without a deadline where this service goes on by itself
 * @throws DomainError service_unavailable where the caller may have given up meanwhile
 */
export function refuseLate({
  deadlineMs = Number.POSITIVE_INFINITY,
}: Partial<Pick<RequestContext, 'deadlineMs'>>): void {
  if (isLate({ deadlineMs })) throw tooLate();
}

export const tooLate = (): DomainError =>
  new DomainError('service_unavailable', 'The request waited for too long and was not carried out: repeat it.');
