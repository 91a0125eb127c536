import { withoutSecretsOfBank } from '@app/pages/bank-return';
import type { FastifyInstance } from 'fastify';
import { createOwnSite } from '../edge/own-site.ts';
import type { PageDeps } from './page-request.ts';
import { sendAnswer, sendFailure } from './send-answer.ts';

/**
 * Pages with forms that read cookies. A browser adds the cookies by itself, to a form of another site as well: what such a
 * form sends is refused.
 */
export function registerForms<Deps extends PageDeps>(
  server: FastifyInstance,
  deps: Deps,
  bodyMaxBytes: number,
  route: (pages: FastifyInstance, deps: Deps) => void,
): void {
  const { config } = deps;
  const ownSite = createOwnSite(config);
  void server.register((pages, _, done) => {
    pages.removeAllContentTypeParsers();
    const options = { parseAs: 'string', bodyLimit: bodyMaxBytes } as const;
    pages.addContentTypeParser('application/x-www-form-urlencoded', options, (_req, body, parsed) =>
      parsed(null, new URLSearchParams(String(body))),
    );
    pages.setErrorHandler(sendFailure);
    pages.addHook('onRequest', async (req, reply) => {
      if (req.method === 'POST') return ownSite.checkPage(req);
      const location = withoutSecretsOfBank(req.url);
      if (location !== null) return sendAnswer({ config }, reply, { status: 303, location });
    });
    route(pages, deps);
    done();
  });
}
