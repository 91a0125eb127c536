import { html } from '@app/pages/html';
import { noticePage, renderBuyersPage } from './layout.ts';

const nameOf = (businessName: string): string => businessName || 'this seller';

/** Asks once more: mail scanners open links, and none of them may end anything. */
export function askPage(businessName: string): string {
  const name = nameOf(businessName);
  return renderBuyersPage(
    'No more reminders',
    html`<main class="notice"><h1>No more reminders</h1>
<p>${name} sends one email when you leave a checkout unfinished. It can leave that out from now on.</p>
<form method="post"><button type="submit" class="primary">No more reminders from ${name}</button></form></main>`,
  );
}

export function endedPage(businessName: string): string {
  const name = nameOf(businessName);
  return noticePage('No more reminders', [
    html`<p role="status">${name} sends you no more reminders of unfinished checkouts.</p>`,
    html`<p>Receipts and answers to your questions still reach you.</p>`,
  ]);
}

export function unknownTokenPage(): string {
  return noticePage('This link has no effect', [
    html`<p>It is not complete, or it is very old. Use the link of the latest email as it stands there.</p>`,
  ]);
}
