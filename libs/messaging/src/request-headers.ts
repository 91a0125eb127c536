import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** What rides with every request beside its input. */
export interface RequestContext {
  /** The account the caller acts for; empty for questions of the deployment itself. */
  readonly accountId: string;
  /** The caller's request id, the same in every log line and in the answer at the edge. */
  readonly requestId: string;
  /** 26 characters that name this command; a repeated command has the same. Empty for reads. */
  readonly commandId: string;
  /** Milliseconds since the epoch after which nobody waits for the answer. Machines keep time to well under a second. */
  readonly deadlineMs: number;
  readonly traceparent: string | undefined;
}

const names = {
  account: 'account',
  request: 'request-id',
  command: 'command-id',
  deadline: 'deadline',
  trace: 'traceparent',
};

export function writeContext(context: RequestContext): MsgHdrs {
  const written = headers();
  if (context.accountId !== '') written.set(names.account, context.accountId);
  written.set(names.request, context.requestId);
  if (context.commandId !== '') written.set(names.command, context.commandId);
  written.set(names.deadline, String(context.deadlineMs));
  if (context.traceparent !== undefined) written.set(names.trace, context.traceparent);
  return written;
}

export function readContext(received: MsgHdrs | undefined): RequestContext {
  const get = (name: string): string => received?.get(name) ?? '';
  return {
    accountId: get(names.account),
    requestId: get(names.request),
    commandId: get(names.command),
    deadlineMs: Number(get(names.deadline) || Number.POSITIVE_INFINITY),
    traceparent: get(names.trace) || undefined,
  };
}
