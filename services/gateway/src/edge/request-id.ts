import type { IncomingMessage } from 'node:http';
import { newIdSuffix } from '@app/contracts/ids';

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id when it is fit for logs and headers, else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : newIdSuffix(Date.now());
}
