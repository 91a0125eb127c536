import { type Html, html } from '../../html.ts';
import type { DashboardPage } from '../frame/visit.ts';

const texts = {
  title: 'Preview',
  frame: 'Preview of what buyers see',
  width: 'Width',
  phone: 'Phone',
  desktop: 'Desktop',
  update: 'Update the preview',
} as const;

/** The id of the form that is drawn. */
export const previewedForm = 'edited';

/**
 * What buyers would see of the form with the id `previewedForm`. Its page draws what is stored for GET, and for POST what the form
 * holds: a script sends it there while one types, and a button does without. Nothing in the frame can be sent.
 */
export function previewFrame(address: string): Html {
  return html`<section class="preview stack" aria-labelledby="preview-title"><h2 id="preview-title">${texts.title}</h2>
<fieldset class="widths small"><legend class="unseen">${texts.width}</legend><label><input type="radio" name="preview-width" value="phone" checked> ${texts.phone}</label>
<label><input type="radio" id="preview-desktop" name="preview-width" value="desktop"> ${texts.desktop}</label></fieldset>
<div class="screen"><iframe name="preview" src="${address}" title="${texts.frame}" sandbox="allow-same-origin" data-form="${previewedForm}"></iframe></div>
<noscript><button type="submit" class="button plain" form="${previewedForm}" formaction="${address}" formtarget="preview">${texts.update}</button></noscript></section>`;
}

/** A page with a preview frames a page of its own site. */
export const withPreview = (page: DashboardPage): DashboardPage =>
  Object.assign({}, page, { scripts: ['preview.js'], sources: { script: [], frame: ["'self'"], connect: [] } });
