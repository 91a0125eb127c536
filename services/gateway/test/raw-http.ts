import { connect } from 'node:net';
import type { Sent } from './http.ts';

/** What comes back for these bytes until the connection is closed. */
export function exchange(url: string, text: string): Promise<Sent> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n');
      const [line = '', ...fields] = head.split('\r\n');
      const headers = Object.fromEntries(fields.map((field) => field.split(': ')));
      const json = /json/.test(headers['content-type'] ?? '') && body !== '' ? JSON.parse(body) : undefined;
      resolve({ status: Number(line.split(' ')[1]), headers, bytes: Buffer.from(body), text: body, json });
    });
    socket.on('error', reject);
  });
}
