import { DomainError } from '@app/contracts/errors';
import { inSpan, type SpanOptions } from '@app/service-kit/tracing';
import { SpanKind } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../api/app.ts';
import { baseUrlOf } from '../edge/base-url.ts';
import { clientOfAddress } from '../edge/client-address.rules.ts';
import type { Guard } from '../edge/guard.ts';
import { acceptJsonBodies } from '../edge/json-body.ts';
import { createOwnSite } from '../edge/own-site.ts';
import { noteCall } from '../edge/request-log.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import { sendProblem } from '../edge/send-problem.ts';
import { anonymous } from '../identity/actors.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import type { Caller } from './caller.ts';
import type { McpExtension } from './mcp-server.ts';
import { PassedBodies } from './passed-bodies.ts';
import type { Mcp } from './serve-mcp.ts';

const path = '/api/mcp';
const parseError = -32700;
const invalidRequest = -32600;

/**
 * The MCP endpoint: the same keys, limits and operations as everything else, in JSON-RPC.
 * @param extension of tests
 */
export async function routeMcp(
  server: FastifyInstance,
  app: App,
  guard: Guard,
  extension: McpExtension | undefined,
): Promise<void> {
  const ownSite = createOwnSite(app.config);
  // Loaded by the first message: a start does not wait for its code and the schemas of its tools.
  let loaded: Promise<Mcp> | undefined;
  const load = (): Promise<Mcp> => {
    loaded ??= import('./serve-mcp.ts').then(({ serveMcp }) => serveMcp(app, extension));
    return loaded;
  };

  const admit = async (req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    ownSite.checkPage(req);
    req.actor = await inRequestSpan(req, () => guard.admit('credential', req, reply));
    if (req.actor.kind === 'platform') {
      throw new DomainError(
        'insufficient_scope',
        'The platform key belongs to no account: use an API key of the account.',
      );
    }
  };

  const handle = async (req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const messages: readonly unknown[] = Array.isArray(req.body) ? req.body : [req.body];
    const fault = faultOf(req, messages);
    if (fault !== undefined) return sendRpcError(reply, invalidRequest, fault);
    // Each message of a batch counts as a request of its own.
    for (const _ of messages.slice(1)) await guard.admitCall('credential', req.method, req, reply);
    const actor = req.actor ?? anonymous;
    const sender: Omit<Caller, 'previewsKnown'> = {
      actor,
      requestId: req.id,
      baseUrl: baseUrlOf(app.config, req.socket),
      from: { address: clientOfAddress(req.ip), userAgent: req.headers['user-agent'] },
      res: reply.raw,
      methods: new Set(messages.flatMap(methodOf)),
      bodies: new PassedBodies(),
      note: (called) => noteCall(req, called),
      onFailure: (failure) => {
        req.failure = failure;
      },
    };
    const { status, headers, body } = await (await load()).answer(req.raw, req.body, sender);
    // An empty text would go out as `text/plain`.
    return reply
      .code(status)
      .headers(headers)
      .send(body === '' ? undefined : body);
  };

  await server.register((mcp, _, done) => {
    acceptJsonBodies(mcp, 'error');
    mcp.addHook('onClose', async () => await (await loaded)?.close());
    mcp.setErrorHandler((err, req, reply) => {
      const { code, message } = toDomainError(err);
      if (code === 'malformed_json') return sendRpcError(reply, parseError, message);
      return sendProblem(app.config, err, req, reply);
    });
    mcp.post(path, { onRequest: admit }, (req, reply) =>
      inRequestSpan(req, () => inSpan(...messageSpan(req), () => handle(req, reply))),
    );
    done();
  });
}

/** As many calls as an agent makes at once; each has a result of up to 20 KB. */
const batchMax = 20;

/** Of the revisions, 2025-03-26 alone has batches; a client that names none speaks it. */
const takesBatches = ({ headers }: FastifyRequest): boolean =>
  [undefined, '2025-03-26'].includes(headers['mcp-protocol-version'] as string | undefined);

function faultOf(req: FastifyRequest, messages: readonly unknown[]): string | undefined {
  if (Array.isArray(req.body) && !takesBatches(req)) return 'Send one message a request.';
  if (messages.length === 0 || messages.length > batchMax) return `A batch has 1 to ${batchMax} messages.`;
  return messages.every(hasUsableId) ? undefined : 'An id is a number or a text of at most 200 characters.';
}

/** Every response repeats the id, so that its length needs a bound. */
function hasUsableId(body: unknown): boolean {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id !== 'string' || id.length <= 200;
}

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly _meta?: { readonly traceparent?: unknown } };
}

const methodOf = (body: unknown): string[] => {
  const { method } = (body ?? {}) as Message;
  return typeof method === 'string' ? [method] : [];
};

/** The message's span continues the request's trace; without one, the trace that the client put into the message. */
function messageSpan(req: FastifyRequest): [name: string, options: SpanOptions] {
  const { method, params } = (req.body ?? {}) as Message;
  const given = params?._meta?.traceparent;
  const parent = req.headers.traceparent === undefined && typeof given === 'string' ? { parent: given } : {};
  const known = typeof method === 'string' ? method.slice(0, 100) : 'unknown';
  const tool = known === 'tools/call' && typeof params?.name === 'string' ? params.name.slice(0, 100) : undefined;
  const attributes = { 'mcp.method.name': known, ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool }) };
  const name = tool === undefined ? known : `${known} ${tool}`;
  return [name, { service: 'gateway', kind: SpanKind.SERVER, attributes, ...parent }];
}

function sendRpcError(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(400).send({ jsonrpc: '2.0', id: null, error: { code, message } });
}
