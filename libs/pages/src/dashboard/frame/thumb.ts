import { type Html, html } from '../../html.ts';

/** A product's picture; where it has none, its place stays empty. */
export const thumb = (imageUrl: string | null | undefined): Html =>
  imageUrl == null
    ? html`<span class="thumb"></span>`
    : html`<img class="thumb" src="${imageUrl}" alt="" width="40" height="40" loading="lazy">`;

/** A product's name with its picture before it. */
export const named = (name: string, imageUrl: string | null | undefined): Html =>
  html`<span class="named">${thumb(imageUrl)}<bdi>${name}</bdi></span>`;
