import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Sent {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they were sent. */
  readonly bytes: Buffer;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came.
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
        const bytes = Buffer.concat(chunks);
        const text = decoded(bytes, response.headers['content-encoding']).toString('utf8');
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

function decoded(bytes: Buffer, coding: string | undefined): Buffer {
  if (bytes.length === 0 || coding === undefined) return bytes;
  return coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
}

/** Uses up what buyers of an address may do within its minute, but for so many requests. */
export async function useUp(url: string, address: string, left = 0): Promise<void> {
  const headers = { 'x-forwarded-for': address };
  for (let sent = 0; sent < 600 - left; sent += 100) {
    const length = Math.min(100, 600 - left - sent);
    await Promise.all(Array.from({ length }, () => send(url, 'GET', '/nothing', { headers })));
  }
}
