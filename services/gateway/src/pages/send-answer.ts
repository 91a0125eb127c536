import { type DomainError, errorCodes } from '@app/contracts/errors';
import { failedPage, type NoticePage, nothingHerePage } from '@app/pages/checkout/notice-pages';
import { renderDocument } from '@app/pages/document';
import type { PageAnswer, PageCookie, ShownPage } from '@app/pages/page';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isHttps } from '../edge/base-url.ts';
import { keptName } from '../edge/cookie-names.rules.ts';
import type { EdgeConfig } from '../edge/edge-config.ts';
import { permissions } from '../edge/security-headers.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import { accentAddress } from './accent-routes.ts';
import { assets } from './assets.ts';

/** Browsers keep it for this reader, and check each time whether it has changed. */
const revalidated = 'private, no-cache';

/** Sends what a page answered: itself, or the way to another. */
export function sendAnswer(
  { config }: { readonly config: EdgeConfig },
  reply: FastifyReply,
  answer: PageAnswer,
): FastifyReply {
  if ('content' in answer) return reply.header('cache-control', revalidated).type(answer.type).send(answer.content);
  if (!('body' in answer || 'location' in answer)) return reply.code(204).send();
  for (const cookie of answer.cookies ?? []) {
    const secure = isHttps(config);
    reply.header('set-cookie', cookieHeader(cookie, secure));
    // It may be one of before the prefix.
    if (secure && cookie.value === null) reply.header('set-cookie', cookieHeader(cookie, false));
  }
  if ('location' in answer) {
    if (answer.dropsPages) reply.header('clear-site-data', '"cache"');
    // Browsers keep no redirect: the seller may change a handle back, and two addresses would lead to each other.
    return reply.code(answer.status).header('cache-control', 'no-store').header('location', answer.location).send();
  }
  if (answer.retryAfterSeconds) reply.header('retry-after', answer.retryAfterSeconds);
  return sendShown(reply, answer);
}

/**
 * A page that shows no secret: browsers keep it and check whether it has changed, so that going back is instant. Formats follow
 * the reader's language.
 */
function sendShown(reply: FastifyReply, page: ShownPage): FastifyReply {
  const { accent = null, scripts = [] } = page;
  const stylesheets = ['pages.css', ...(page.stylesheets ?? [])].map((name) => assets.address(name));
  const text = renderDocument({
    title: page.title,
    body: page.body,
    head: page.head,
    isIndexed: page.isIndexed,
    icon: assets.address('icon.svg'),
    stylesheets: accent === null ? stylesheets : [...stylesheets, accentAddress(accent)],
    scripts: scripts.map((name) => assets.address(name)),
  });
  if (page.isFramed) reply.header('x-frame-options', 'SAMEORIGIN');
  return reply
    .code(page.status)
    .header('cache-control', page.status < 400 && !page.isSecret ? revalidated : 'no-store')
    .header('content-language', 'en')
    .header('vary', 'Accept-Language')
    .header('content-security-policy', policyOf(page))
    .header('permissions-policy', permissionsOf(page))
    .type('text/html; charset=utf-8')
    .send(text);
}

/** A page that says one thing. */
export const sendNotice = (reply: FastifyReply, status: number, { title, body }: NoticePage): FastifyReply =>
  sendShown(reply, { status, title, body });

/** People read a page, not a problem document, whatever their mail program or browser says that it takes. */
export function sendFailure(err: unknown, req: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toDomainError(err);
  req.failure = { error, cause: err };
  if (err instanceof RetryLaterError) reply.header('retry-after', err.retryAfterSeconds);
  return sendErrorPage(error, req, reply);
}

export function sendErrorPage(error: DomainError, req: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = errorCodes[error.code];
  const text = textOf(error, req);
  const mayWorkLater = status >= 500 || status === 429;
  const said = `${text}${mayWorkLater ? ' Try again in a minute.' : ''}`;
  if (status === 404) return sendNotice(reply, status, nothingHerePage(req.id));
  const back = error.code === 'payload_too_large' && isOfDashboard(req) ? req.url : undefined;
  return sendNotice(reply, status, failedPage(said, req.id, back));
}

function textOf({ code, message }: DomainError, req: FastifyRequest): string {
  if (code === 'payload_too_large') return tooLarge(req);
  return code === 'method_not_allowed' ? 'Nothing can be sent to this address, and nothing was changed.' : message;
}

const isOfDashboard = ({ url }: FastifyRequest): boolean => url.startsWith('/app/');

const tooLarge = (req: FastifyRequest): string =>
  isOfDashboard(req)
    ? 'More was sent than this page takes, and nothing was changed. If you chose a picture, go back and choose a smaller one: your browser did not make it smaller.'
    : 'Nothing needs to be sent beside the address.';

/** What the page loads and where its forms go; everything else is stopped. */
function policyOf({ scripts = [], sources, isFramed }: ShownPage): string {
  const script = scripts.length === 0 ? '' : `; script-src ${["'self'", ...(sources?.script ?? [])].join(' ')}`;
  const connect = scripts.length === 0 ? '' : `; connect-src ${["'self'", ...(sources?.connect ?? [])].join(' ')}`;
  const frame = sources === undefined || sources.frame.length === 0 ? '' : `; frame-src ${sources.frame.join(' ')}`;
  return `default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors ${isFramed ? "'self'" : "'none'"}; form-action 'self'${script}${connect}${frame}`;
}

/** Who may ask the browser for a payment, as wallets do: the page and its processor's frames, where it takes a card. */
const permissionsOf = ({ sources }: ShownPage): string =>
  permissions(
    sources === undefined || sources.frame.length === 0
      ? 'payment=()'
      : `payment=(self ${sources.frame.map((source) => `"${source}"`).join(' ')})`,
  );

function cookieHeader({ name, value, path, maxAgeSeconds }: PageCookie, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${keptName(name, isSecure)}=${encodeURIComponent(value ?? '')}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
