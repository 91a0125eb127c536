import type { ServerResponse } from 'node:http';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CalledOperation } from '../edge/called-operation.ts';
import type { RequestFailure } from '../edge/request-log.ts';
import type { Actor } from '../identity/actors.ts';
import type { PassedBodies } from './passed-bodies.ts';

/** Who calls tools in one HTTP request. */
export interface Caller {
  readonly actor: Actor;
  readonly requestId: string;
  readonly baseUrl: string;
  /** Whom the audit log names. */
  readonly from: { readonly address: string; readonly userAgent: string | undefined };
  /** Carries the result. */
  readonly res: ServerResponse;
  /** What is called: a server for one request needs nothing else. */
  readonly methods: ReadonlySet<string>;
  /** How many previews had been given when the request came: its calls agree to no later one, which nobody has seen. */
  readonly previewsKnown: number;
  /** What goes into the answer as the service wrote it. */
  readonly bodies: PassedBodies;
  /** Gets what the log says of each call, for the request's line. */
  readonly note: (called: CalledOperation) => void;
  /** Called with every failure, for the request's line in the log. */
  readonly onFailure: (failure: RequestFailure) => void;
}

/** What the protocol says of the client, in one message. */
export interface Client {
  /** False for clients of 2025, which check the structure of an error with the tool's output schema. */
  readonly readsStructuredErrors: boolean;
  /** Of a client that declares that it shows its user questions; null for all others. */
  readonly question: ServerContext['mcpReq'] | null;
}
