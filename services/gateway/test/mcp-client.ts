import { type Sent, send } from './http.ts';

/** What a tool answers. */
export interface Answer {
  isError?: boolean;
  resultType?: string;
  content: { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: whatever a test expects of it
  structuredContent?: Record<string, any>;
  inputRequests?: Record<string, { method: string; params: { message: string; requestedSchema: object } }>;
  requestState?: string;
}

export const accept = 'application/json, text/event-stream';

/** One JSON-RPC request as a client of 2025 sends it. */
export const rpc = (
  url: string,
  key: string,
  method: string,
  params: unknown,
  headers: Record<string, string> = {},
): Promise<Sent> =>
  send(url, 'POST', '/api/mcp', {
    key,
    headers: { accept, ...headers },
    body: { jsonrpc: '2.0', id: 7, method, params },
  });

/** The same in the words of revision 2026-07-28. */
export const modernRpc = (
  url: string,
  key: string,
  method: string,
  params: Record<string, unknown>,
  clientCapabilities: object = {},
): Promise<Sent> =>
  rpc(
    url,
    key,
    method,
    {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      },
    },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...([params.name, params.uri].some((one) => typeof one === 'string') && {
        'mcp-name': String(params.name ?? params.uri),
      }),
    },
  );

/** The message in a body that is JSON, or an event stream of one message. */
export function messageOf(text: string) {
  const data = text.startsWith('{') ? text : text.replace(/^[\s\S]*?^data: /m, '');
  return JSON.parse(data);
}
