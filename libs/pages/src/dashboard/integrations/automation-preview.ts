import type { AutomationAction, previewAutomation } from '@app/contracts/automations';
import type { RequestOutput } from '@app/contracts/define';
import { fieldsOf, type TriggerName } from '@app/contracts/triggers';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import { joined } from '../../text.ts';
import { refusedForm } from '../frame/forms.ts';
import type { Visit } from '../frame/visit.ts';
import { automationLabels, ofFields } from './automation-form.ts';

const texts = {
  title: 'Preview',
  update: 'Update the preview',
  to: (address: string) => `To ${address}`,
  sample: 'With sample data.',
  fields: 'What you can write in the subject and the text:',
} as const;

export type EmailAction = Extract<AutomationAction, { type: 'email' }>;

/** An email with sample data in it, or why there is none. */
export type Drawn =
  | { readonly ok: true; readonly email: RequestOutput<typeof previewAutomation> }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** What the email of an action would be. */
export async function drawEmail(visit: Visit, event: string, action: EmailAction): Promise<Drawn> {
  const drawn = await visit.call('previewAutomation', { body: { event: event as TriggerName, action } });
  if (drawn.ok) return { ok: true, email: drawn.body };
  const { errors, problem } = refusedForm(visit, ofFields(drawn.problem), automationLabels);
  return { ok: false, reasons: [...Object.values(errors), ...(problem === null ? [] : [problem])] };
}

/** The email as its reader sees it; its links lead nowhere here. */
export function emailOf(drawn: Drawn): Html {
  if (!drawn.ok) return html`${drawn.reasons.map((reason) => notice('warn', reason))}`;
  const { to, subject, text } = drawn.email;
  const paragraphs = text.trimEnd().split('\n\n');
  const lines = (paragraph: string) =>
    joined(
      paragraph.split('\n').map((line) => html`${line}`),
      html`<br>`,
    );
  return html`<div class="letter stack tight"><p class="small quiet"><bdi>${texts.to(to)}</bdi></p><p class="subject"><bdi>${subject}</bdi></p>${paragraphs.map(
    (paragraph) => html`<p>${lines(paragraph)}</p>`,
  )}</div>`;
}

interface Previewed {
  /** Where the form is sent. */
  readonly address: string;
  readonly event: string;
  readonly to: EmailAction['to'];
  readonly drawn: Drawn;
}

/**
 * The email that the form with the id `edited` makes. While one types, htmx sends the form with `do=preview` and takes the
 * preview out of the page that comes; a button does so without script. What is refused leaves the preview as it is. It is sent at
 * first too: something may have been typed before htmx came, or put back by the browser.
 */
export function emailPreview({ address, event, to, drawn }: Previewed): Html {
  const fields = fieldsOf(event as TriggerName, to).map((field) => html`<code>{{${field}}}</code>`);
  return html`<section class="preview stack" aria-labelledby="preview-title" hx-post="${address}" hx-include="#edited" hx-vals="${JSON.stringify({ do: 'preview' })}"
hx-trigger="load delay:600ms, input from:#edited delay:600ms" hx-target="#preview" hx-select="#preview" hx-swap="outerHTML" hx-sync="this:replace" hx-status:4xx="swap:none" hx-status:5xx="swap:none"><h2 id="preview-title">${texts.title}</h2>
<div id="preview" class="stack tight">${emailOf(drawn)}<p class="small quiet">${drawn.ok && texts.sample} ${texts.fields} ${joined(fields, ', ')}</p></div>
<noscript><button type="submit" class="button plain" form="edited" name="do" value="preview">${texts.update}</button></noscript></section>`;
}
