import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Sent {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly json: any;
}

export interface ToSend {
  readonly key?: string;
  readonly session?: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Buffer;
  /** Whose connections it goes over. */
  readonly agent?: Agent;
}

/** One request, on a connection of its own unless an agent is given, without the niceties of `fetch`. */
export async function send(url: string, method: string, path: string, what: ToSend = {}): Promise<Sent> {
  const { hostname, port } = new URL(url);
  const payload = what.raw ?? (what.body === undefined ? undefined : JSON.stringify(what.body));
  const headers = {
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
    ...(what.key === undefined ? {} : { authorization: `Bearer ${what.key}` }),
    ...(what.session === undefined ? {} : { cookie: what.session }),
    ...what.headers,
  };
  return await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: what.agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}
