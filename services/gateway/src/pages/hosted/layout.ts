import { type Html, html } from '@app/pages/html';
import { assets } from '../assets.ts';

/** A page that buyers see: one column, no navigation. `head` is what a page needs beside the stylesheet. */
export function renderBuyersPage(title: string, content: Html, head: Html = html``): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${assets.address('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.address('hosted.css')}">
${head}
</head>
<body>
${content}
</body>
</html>
`;
  return text;
}

/** A page that says one thing. */
export function noticePage(title: string, paragraphs: readonly Html[]): string {
  return renderBuyersPage(title, html`<main class="notice"><h1>${title}</h1>${paragraphs}</main>`);
}
