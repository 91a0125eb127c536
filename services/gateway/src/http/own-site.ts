import { DomainError } from '@app/contracts/errors';
import type { FastifyRequest } from 'fastify';
import { type BrowserHeaders, isCrossSite, isFromPage } from '../auth/cross-site.rules.ts';
import type { GatewayConfig } from '../config.ts';
import { baseUrlOf } from './base-url.ts';
import { isOwnHost, parseHost } from './host.rules.ts';

/**
 * Keeps browsers to this deployment's own pages. What a browser brings by itself, the session cookie and its place in
 * the network, is worth nothing to a page that made its own name lead here. Keys are in no browser: they are not asked
 * under which name they came.
 */
export interface OwnSite {
  /** Throws `cross_site_request`. For requests that a session cookie speaks for. */
  checkSession(req: FastifyRequest): void;
  /** Throws `cross_site_request` when a foreign page is behind it. For requests that need no cookie. */
  checkPage(req: FastifyRequest): void;
}

export function createOwnSite(config: GatewayConfig): OwnSite {
  const publicUrl = config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL);

  function refuseForeignHost(req: FastifyRequest): void {
    const { host = '' } = req.headers;
    if (isOwnHost(host, publicUrl, req.socket.localAddress ?? '')) return;
    const there = baseUrlOf(config, req.socket);
    const names = publicUrl === null ? ' PUBLIC_URL gives it another address.' : '';
    throw crossSite(`Browsers reach this deployment at ${there}; this request names another host.${names}`);
  }

  function refuseCrossSite(req: FastifyRequest): void {
    const host = parseHost(req.headers.host ?? '')?.host;
    const isOwn = (origin: URL) => (publicUrl === null ? origin.host === host : origin.origin === publicUrl.origin);
    if (isCrossSite(browserHeadersOf(req), isOwn)) {
      throw crossSite('A browser may only write from this deployment’s own pages.');
    }
  }

  return {
    checkSession: (req) => {
      refuseForeignHost(req);
      if (req.method !== 'GET' && req.method !== 'HEAD') refuseCrossSite(req);
    },
    checkPage: (req) => {
      if (!isFromPage(browserHeadersOf(req))) return;
      refuseForeignHost(req);
      refuseCrossSite(req);
    },
  };
}

function browserHeadersOf({ headers }: FastifyRequest): BrowserHeaders {
  return { secFetchSite: headers['sec-fetch-site'] as string | undefined, origin: headers.origin };
}

function crossSite(detail: string): DomainError {
  return new DomainError('cross_site_request', detail);
}
