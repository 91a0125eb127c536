import { checkAgain, checkHead, checkScripts, checksOf } from '../../components/checks.ts';
import { type Html, html } from '../../html.ts';
import type { DashboardPage, Visit } from './visit.ts';

/**
 * A page that waits for an outcome gets itself again, ever later: by htmx, and by its head without script.
 * @param status what it waits for, and how far that is: screen readers read it again each time
 */
export function waiting({ request, path }: Visit, page: DashboardPage, status: Html): DashboardPage {
  const checks = checksOf(request.query);
  const query = new URLSearchParams(request.query);
  query.set('check', String(checks + 1));
  const content = { nextUrl: `${path}?${query}`, checks };
  const main = html`${checkAgain(content, status)}${page.main}`;
  return Object.assign({}, page, {
    main,
    head: checkHead(content),
    scripts: [...checkScripts, ...(page.scripts ?? [])],
  });
}
