import type { Problem } from '../../call.ts';
import type { Redirect } from '../../page.ts';
import type { DashboardPage, Visit } from './visit.ts';

/** What the API refused, with the page that says so. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem, retryAfterSeconds: number | null) {
    super(problem.detail);
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** For an address of the right form that names nothing: the page is that of an unknown id. */
export const nothingHere = ({ request: { requestId } }: Visit): RefusedError =>
  new RefusedError(
    { type: 'about:blank', title: 'Not found', status: 404, detail: '', code: 'not_found', requestId },
    null,
  );

/** The page of a form that was refused. */
export const refusedPage = (page: DashboardPage): DashboardPage => Object.assign({}, page, { status: 422 });

/** On to another page, after a form. What was done is in its query, as `done` or `did`: that page's `show` reads it and says so. */
export const onTo = (location: string): Redirect => ({ status: 303, location });
