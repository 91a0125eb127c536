import type { Refused } from '../../call.ts';
import { failedPage } from '../../checkout/notice-pages.ts';
import type { PageRequest, ShownPage } from '../../page.ts';

/** What was refused for no reason that a form can show. */
export const showFailure = ({ problem, retryAfterSeconds }: Refused, { requestId }: PageRequest): ShownPage =>
  Object.assign({ status: problem.status, retryAfterSeconds }, failedPage(problem.detail, requestId));
