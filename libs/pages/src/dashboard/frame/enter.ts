import { failedPage } from '../../checkout/notice-pages.ts';
import { formatsFor } from '../../formats.ts';
import { html } from '../../html.ts';
import type { PageAnswer, PageRequest, Redirect, ShownPage } from '../../page.ts';
import { RefusedError } from './answers.ts';
import { confirmPage, proofIn, withoutConfirmation } from './confirm-page.ts';
import { framed } from './layout.ts';
import { firstPage, isOldPosition } from './lists.ts';
import { logInAgain } from './log-in-again.ts';
import type { Account, Answer, DashboardPage, Page, Params, Visit } from './visit.ts';

const texts = {
  nothingHere: 'There is nothing here',
  nothingFound: 'Nothing of your account has this address. Check it, or go on from the menu.',
  busy: 'One moment',
  busyText: (seconds: number) =>
    `Your account sends many requests. Nothing is lost, and nothing was changed by this one. Try again in ${seconds} seconds.`,
  oldLink: 'This link is no longer valid',
  oldPosition: 'It leads to a position in a list that is not there any more.',
  firstPage: 'First page of the list',
  failed: 'That did not work',
  request: (id: string) => `Request ${id}`,
  wrongPassword: 'The password is wrong.',
  wrongProof: 'The code or passkey is wrong, or was used already.',
} as const;

/** GET of a page. */
export const showPage = (page: Page, request: PageRequest, path: string, params: Params): Promise<PageAnswer> =>
  enter(page, request, path, (visit) => page.show(visit, params));

/**
 * POST of a page's form. A form that was typed before the login ran out, or left unconfirmed, is shown again, and nothing is done.
 * One that comes back from the page that confirms its person is taken once that is done.
 */
export async function takePage(page: Page, request: PageRequest, path: string, params: Params): Promise<PageAnswer> {
  const { form } = request;
  const proof = proofIn(form);
  const own = proof === null ? request : Object.assign({}, request, { form: withoutConfirmation(form) });
  if (form.has('restore')) return await enter(page, own, path, (visit) => page.show(visit, params), own.form);
  return await enter(page, own, path, async (visit) => {
    const refusal = proof === null ? null : await confirm(visit, proof);
    return refusal ?? (await (page.take ?? page.show)(visit, params));
  });
}

/** Null when the person is confirmed, or else the page again. */
async function confirm(visit: Visit, proof: object): Promise<DashboardPage | null> {
  const confirmed = await visit.call('confirm', { body: proof as never });
  if (confirmed.ok) return null;
  const { problem, retryAfterSeconds } = confirmed;
  const isWrong = problem.code === 'invalid_credentials' || problem.code === 'validation_failed';
  if (!isWrong && problem.status !== 429) throw new RefusedError(problem, retryAfterSeconds);
  return await toConfirm(
    visit,
    isWrong ? ('password' in proof ? texts.wrongPassword : texts.wrongProof) : problem.detail,
  );
}

/** The page between a form and what it does. */
async function toConfirm(visit: Visit, error?: string): Promise<DashboardPage> {
  const { request, path } = visit;
  const action = request.query.size === 0 ? path : `${path}?${request.query}`;
  const [{ email }, { codes, passkeys }] = await Promise.all([visit.account(), visit.read('getFactors', {})]);
  const hasFactors = codes || passkeys.length > 0;
  return confirmPage({ action, typed: request.form, email, hasFactors, error });
}

async function enter(
  { partOf }: Page,
  request: PageRequest,
  path: string,
  answer: (visit: Visit) => Promise<Answer> | Answer,
  typed: URLSearchParams | null = null,
): Promise<PageAnswer> {
  const visit = visitOf(request, path, typed);
  // The frame is read while the page reads what it shows.
  if (partOf === undefined) visit.account().catch(() => undefined);
  try {
    const answered = await answer(visit);
    if (!('main' in answered)) return answered;
    return partOf === undefined ? shown(await visit.account(), path, answered) : shownPart(answered);
  } catch (err) {
    if (err instanceof RefusedError) return await answerRefused(visit, err, partOf);
    throw err;
  }
}

function visitOf(request: PageRequest, path: string, typed: URLSearchParams | null): Visit {
  let account: Promise<Account> | undefined;
  const call: Visit['call'] = async (operationId, given) => {
    const result = await request.call(operationId, Object.assign({ actor: request.actor }, given) as never);
    if (!result.ok && result.problem.code === 'password_required')
      throw new RefusedError(result.problem, result.retryAfterSeconds);
    return result;
  };
  const read: Visit['read'] = async (operationId, given) => {
    const result = await call(operationId, given);
    if (!result.ok) throw new RefusedError(result.problem, result.retryAfterSeconds);
    return result.body;
  };
  const visit: Visit = {
    request,
    path,
    typed,
    formats: formatsFor(request.languages),
    call,
    read,
    account: () => {
      account ??= readAccount(visit);
      return account;
    },
  };
  return visit;
}

/** A page is shown without the processor's name where that cannot be found out. */
async function readAccount({ read, call }: Visit): Promise<Account> {
  const [me, settings, processor] = await Promise.all([
    read('getMe', {}),
    read('getSettings', {}),
    call('getPaymentProcessor', {}),
  ]);
  return {
    email: me.email,
    emailVerified: me.emailVerified,
    name: me.name,
    handle: me.handle,
    testMode: settings.testMode,
    isCopy: me.isCopy,
    emailFolder: me.emailFolder ?? null,
    settingsVersion: settings.version,
    defaultCurrency: settings.defaultCurrency,
    processor: processor.ok ? processor.body.processor : null,
    takesNone:
      processor.ok && processor.body.processor === 'stripe' && processor.body.stripe?.live?.charges_enabled === false,
  };
}

const shownPart = ({ status = 200, title, main }: DashboardPage): ShownPage => ({ status, title, body: main });

function shown(account: Account, path: string, page: DashboardPage): ShownPage {
  return {
    status: page.status ?? 200,
    title: [page.title, page.part, account.name].filter((each) => each !== undefined).join(' · '),
    body: framed({ account, path, page }),
    head: page.head,
    stylesheets: ['dashboard.css'],
    scripts: ['dashboard.js', ...(page.scripts ?? [])],
    sources: page.sources,
    isSecret: page.isSecret,
  };
}

/** What is not this account's is shown as what there is not. */
async function answerRefused(visit: Visit, err: RefusedError, partOf?: string): Promise<ShownPage | Redirect> {
  const { problem, retryAfterSeconds } = err;
  const { request, path } = visit;
  if (problem.status === 401) return logInAgain(request, partOf ?? path);
  const page = await visit.account().then(
    async (account) => shown(account, path, await refusalPage(err, visit)),
    () => Object.assign({ status: problem.status }, failedPage(problem.detail, request.requestId)),
  );
  return Object.assign(page, { retryAfterSeconds });
}

async function refusalPage({ problem, retryAfterSeconds }: RefusedError, visit: Visit): Promise<DashboardPage> {
  const { path, request } = visit;
  const { status, detail, code } = problem;
  if (code === 'password_required') return await toConfirm(visit);
  if (isOldPosition(problem)) {
    const first = html`<p><a href="${firstPage(path, request.query)}">${texts.firstPage}</a></p>`;
    return { status, title: texts.oldLink, main: html`<p>${texts.oldPosition}</p>${first}` };
  }
  if (status === 404) return { status: 404, title: texts.nothingHere, main: html`<p>${texts.nothingFound}</p>` };
  if (status === 429) {
    return { status, title: texts.busy, main: html`<p>${texts.busyText(Math.max(1, retryAfterSeconds ?? 60))}</p>` };
  }
  const main = html`<p>${detail}</p><p class="small quiet">${texts.request(request.requestId)}</p>`;
  return { status, title: texts.failed, main };
}
