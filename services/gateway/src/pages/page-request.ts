import { randomBytes } from 'node:crypto';
import type { Call } from '@app/pages/call';
import type { PageRequest } from '@app/pages/page';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../api/app.ts';
import { actorOf } from '../api/create-call.ts';
import { ownUrlsOf } from '../edge/base-url.ts';

/** What pages know of a request. */
export function pageRequest(app: App, call: Call, req: FastifyRequest, reply: FastifyReply): PageRequest {
  const [baseUrl = ''] = ownUrlsOf(app.config, req.headers.host ?? '', req.socket);
  return {
    call,
    actor: actorOf(req, reply),
    query: new URLSearchParams(queryOf(req)),
    form: req.body instanceof URLSearchParams ? req.body : new URLSearchParams(),
    cookies: cookiesOf(req.headers.cookie),
    languages: req.headers['accept-language'],
    baseUrl,
    requestId: req.id,
    now: app.clock.now().toISOString(),
    newKey: () => randomBytes(16).toString('base64url'),
  };
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** What cannot be decoded is passed over: another page of this host may have set it. */
function cookiesOf(header = ''): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    try {
      cookies.set(part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim()));
    } catch {}
  }
  return cookies;
}
