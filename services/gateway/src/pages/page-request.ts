import { randomBytes } from 'node:crypto';
import type { Call } from '@app/pages/call';
import type { PageRequest } from '@app/pages/page';
import type { Clock } from '@app/service-kit/clock';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../api/create-call.ts';
import { isHttps, ownUrlsOf } from '../edge/base-url.ts';
import { pageCookies } from '../edge/cookie-names.rules.ts';
import type { EdgeConfig } from '../edge/edge-config.ts';
import { SentParts } from './sent-parts.ts';

/** All that pages work with: what they show and do, they reach by `call`. */
export interface PageDeps {
  readonly config: EdgeConfig;
  readonly clock: Clock;
  readonly call: Call;
}

/** What is in the address of a seller's page: the handle, and what the page needs beside it. */
export interface OfSeller<Name extends string = never> {
  readonly Params: Readonly<Record<'handle' | Name, string>>;
}

/** What is in the address of a page that a letter leads to: the right to what it does. */
export interface WithToken {
  readonly Params: { readonly token: string };
}

/** Each read that a page makes listens for the end of its response; a search makes up to 40. Node warns of more than ten. */
const listenersMax = 60;

/** What pages know of a request. */
export function pageRequest({ config, clock, call }: PageDeps, req: FastifyRequest, reply: FastifyReply): PageRequest {
  const { form, files } = sentWith(req);
  reply.raw.setMaxListeners(listenersMax);
  const [baseUrl = ''] = ownUrlsOf(config, req.headers.host ?? '', req.socket);
  return {
    call,
    actor: actorOf(req, reply),
    query: new URLSearchParams(queryOf(req)),
    form,
    files,
    cookies: pageCookies(req.headers.cookie ?? '', { secure: isHttps(config), nowMs: clock.nowMs() }),
    languages: req.headers['accept-language'],
    baseUrl,
    requestId: req.id,
    now: clock.now().toISOString(),
    newKey: () => randomBytes(16).toString('base64url'),
  };
}

function sentWith({ body }: FastifyRequest): Pick<PageRequest, 'form' | 'files'> {
  if (body instanceof SentParts) return body;
  return { form: body instanceof URLSearchParams ? body : new URLSearchParams(), files: new Map() };
}

const queryOf = ({ url }: FastifyRequest): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');
