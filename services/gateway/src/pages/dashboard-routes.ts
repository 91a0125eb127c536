import { dashboardPages } from '@app/pages/dashboard/dashboard-pages';
import { showPage, takePage } from '@app/pages/dashboard/frame/enter';
import { showForgot, takeForgot } from '@app/pages/dashboard/identity/forgot';
import {
  showLogIn,
  showLoginLink,
  takeFactor,
  takeLogIn,
  takeLoginLink,
  takeLogOut,
} from '@app/pages/dashboard/identity/log-in';
import { showSignUp, takeSignUp } from '@app/pages/dashboard/identity/sign-up';
import type { PageAnswer, PageRequest } from '@app/pages/page';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from '../edge/guard.ts';
import { afterFirst } from './after-first.ts';
import { type PageDeps, pageRequest } from './page-request.ts';
import { registerForms } from './register-forms.ts';
import { sendAnswer } from './send-answer.ts';
import { takeFiles } from './sent-parts.ts';

/** An email of a funnel has 20,000 characters, each of up to nine bytes in a form; a picture has 150 KB. */
const bodyMaxBytes = 256 * 1024;

interface DashboardDeps extends PageDeps {
  readonly guard: Pick<Guard, 'recognize'>;
  readonly isSignupOpen: boolean;
}

/** The pages on which sellers work. Whose session a browser has is found out once; each call counts against the account's limit. */
export const routeDashboard = (server: FastifyInstance, deps: DashboardDeps): void =>
  registerForms(server, deps, bodyMaxBytes, (pages) => {
    takeFiles(pages, bodyMaxBytes);
    pages.addHook('onRequest', (req, reply) => deps.guard.recognize(req, reply));
    routeIdentity(pages, deps);
    for (const [pattern, page] of Object.entries(dashboardPages)) {
      const pathOf = (req: FastifyRequest) => req.url.split('?')[0] ?? '';
      const paramsOf = (req: FastifyRequest) => req.params as Readonly<Record<string, string>>;
      pages.get(
        pattern,
        answering(deps, (request, req) => showPage(page, request, pathOf(req), paramsOf(req))),
      );
      if (page.take === undefined) continue;
      pages.post(
        pattern,
        answering(deps, (request, req) => takePage(page, request, pathOf(req), paramsOf(req))),
      );
    }
  });

function routeIdentity(pages: FastifyInstance, deps: DashboardDeps): void {
  pages.get(
    '/',
    answering(deps, async () => ({ status: 303, location: '/app' })),
  );
  pages.get('/login', answering(deps, showLogIn));
  pages.post('/login', answering(deps, takeLogIn));
  pages.post('/login/factor', answering(deps, takeFactor));
  const tokenOf = (req: FastifyRequest) => (req.params as { readonly token: string }).token;
  const once = '/login/once/:token';
  pages.get(
    once,
    answering(deps, (_, req) => showLoginLink(tokenOf(req))),
  );
  pages.post(
    once,
    answering(deps, (request, req) => takeLoginLink(request, tokenOf(req))),
  );
  pages.post('/logout', answering(deps, takeLogOut));
  pages.get(
    '/signup',
    answering(deps, (request) => showSignUp(request, deps.isSignupOpen)),
  );
  pages.post('/signup', answering(deps, takeSignUp));
  pages.get('/forgot-password', answering(deps, showForgot));
  pages.post('/forgot-password', answering(deps, takeForgot));
}

const answering =
  (deps: PageDeps, answer: (request: PageRequest, req: FastifyRequest) => Promise<PageAnswer> | PageAnswer) =>
  async (req: FastifyRequest, reply: FastifyReply) =>
    sendAnswer(deps, reply, await answer(pageRequest({ ...deps, call: afterFirst(deps.call) }, req, reply), req));
