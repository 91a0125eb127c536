import { DomainError } from '@app/contracts/errors';
import type { FastifyRequest } from 'fastify';
import { baseUrlOf } from './base-url.ts';
import { type BrowserHeaders, isCrossSite, isFromPage } from './cross-site.rules.ts';
import type { EdgeConfig } from './edge-config.ts';
import { isOwnHost, parseHost } from './host.rules.ts';

/**
 * Rejects requests that a browser sends for a foreign page. The browser adds the session cookie by itself, and its position
 * in the network may give it access; a foreign page whose name leads here (DNS rebinding) could use both. API keys are in
 * no browser, so that requests with a key are not checked.
 */
export interface OwnSite {
  /**
   * For requests with a session cookie.
   * @param method of what the request calls, which is not its own where a page makes the call
   * @throws DomainError cross_site_request
   */
  checkSession(req: FastifyRequest, method: string): void;
  /**
   * For requests without a credential.
   * @throws DomainError cross_site_request when a foreign page sent it
   */
  checkPage(req: FastifyRequest): void;
}

export function createOwnSite(config: EdgeConfig): OwnSite {
  const publicUrl = config.PUBLIC_URL === undefined ? null : new URL(config.PUBLIC_URL);

  function rejectForeignHost(req: FastifyRequest): void {
    const { host = '' } = req.headers;
    if (isOwnHost(host, publicUrl, req.socket.localAddress ?? '')) return;
    const there = baseUrlOf(config, req.socket);
    const names = publicUrl === null ? ' PUBLIC_URL gives it another address.' : '';
    throw crossSite(`Browsers reach this deployment at ${there}; this request names another host.${names}`);
  }

  function rejectCrossSite(req: FastifyRequest): void {
    const host = parseHost(req.headers.host ?? '')?.host;
    const isOwn = (origin: URL) => (publicUrl === null ? origin.host === host : origin.origin === publicUrl.origin);
    if (isCrossSite(browserHeadersOf(req), isOwn)) {
      throw crossSite('A browser may only write from this deployment’s own pages.');
    }
  }

  return {
    checkSession: (req, method) => {
      rejectForeignHost(req);
      if (method !== 'GET' && method !== 'HEAD') rejectCrossSite(req);
    },
    checkPage: (req) => {
      if (!isFromPage(browserHeadersOf(req))) return;
      rejectForeignHost(req);
      rejectCrossSite(req);
    },
  };
}

function browserHeadersOf({ headers }: FastifyRequest): BrowserHeaders {
  return { secFetchSite: headers['sec-fetch-site'] as string | undefined, origin: headers.origin };
}

function crossSite(detail: string): DomainError {
  return new DomainError('cross_site_request', detail);
}
