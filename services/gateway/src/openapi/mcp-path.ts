import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { commonHeaders } from './error-responses.ts';

const message = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z
      .union([z.string().max(200), z.int(), z.null()])
      .optional()
      .describe('Absent on notifications; null in the refusal of a message whose id could not be read.'),
    method: z.string().optional(),
    params: z.looseObject({}).optional(),
  })
  .meta({ id: 'McpMessage', description: 'A JSON-RPC 2.0 message of the Model Context Protocol.' });

const messages = z.union([message, z.array(message).min(1).max(20)]);

const problemOf = (name: string) => ({ $ref: `#/components/responses/${name}` });

const listed = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const answered = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    tools: [
      {
        name: 'list_orders',
        description: 'Lists orders, newest first.',
        inputSchema: { type: 'object', properties: { limit: { type: 'integer' } } },
      },
    ],
  },
};
const refused = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };

/** The MCP endpoint is no operation: what travels through it is described by the protocol and by `tools/list`. */
export const mcpPath: ZodOpenApiPathsObject = {
  '/api/mcp': {
    post: {
      operationId: 'mcp',
      tags: ['MCP'],
      summary: 'Model Context Protocol server',
      description:
        'Streamable HTTP without sessions: revision 2026-07-28, and clients of the 2025 revisions that open with ' +
        '`initialize`. A key sees and can call just the tools, resources and prompts that its scopes allow. ' +
        'Any `Accept` is taken: clients of 2025 get a stream if they name `text/event-stream`, JSON otherwise. A body is one message; ' +
        'of revision 2025-03-26 it may be a batch of up to 20, each of which counts as a request.',
      security: [{ apiKey: [] }, { session: [] }],
      parameters: [{ $ref: '#/components/parameters/RequestId' }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: messages,
            examples: { one: { value: listed }, batch: { value: [listed] } },
          },
        },
      },
      responses: {
        200: {
          description: 'The answer to a request.',
          headers: commonHeaders,
          content: {
            'application/json': {
              schema: messages,
              examples: { one: { value: answered }, batch: { value: [answered] } },
            },
            'text/event-stream': {
              schema: { type: 'string' },
              examples: { one: { value: `event: message\ndata: ${JSON.stringify(answered)}\n\n` } },
            },
          },
        },
        202: { description: 'A notification was taken.', headers: commonHeaders },
        400: rpcError('No valid message, or its headers and its body do not agree.'),
        401: problemOf('Unauthorized'),
        403: problemOf('NotAllowed'),
        404: rpcError('No such method.'),
        413: problemOf('PayloadTooLarge'),
        415: problemOf('UnsupportedMediaType'),
        429: problemOf('RateLimited'),
        500: problemOf('Internal'),
        503: problemOf('Unavailable'),
      },
    },
  },
};

function rpcError(description: string) {
  return {
    description,
    headers: commonHeaders,
    content: { 'application/json': { schema: message, examples: { one: { value: refused } } } },
  };
}
