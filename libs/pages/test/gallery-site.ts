import { readFileSync } from 'node:fs';
import { startReceiver } from '@app/testing/http-receiver';
import { pageFiles } from '../src/files.ts';
import { emailPages } from './email-pages.ts';
import { type GalleryPage, gallery } from './gallery/gallery.ts';

const textOf = (...names: readonly string[]): string =>
  names
    .flatMap((name) => pageFiles[name] ?? [])
    .map((part) => readFileSync(part, 'utf8'))
    .join('\n');

/** The pages for developers have a style and a script of their own; tests add that of the dashboard. */
const assets: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  '/style.css': { type: 'text/css', body: textOf('pages.css', 'dashboard.css') },
  '/developers.css': { type: 'text/css', body: textOf('developers.css') },
  '/logo.svg': {
    type: 'image/svg+xml',
    body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="14" fill="#8a1c4a"/></svg>',
  },
  '/picture.svg': {
    type: 'image/svg+xml',
    body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90"><path fill="#c8d6c4" d="M0 0h160v90H0z"/><circle cx="60" cy="40" r="26" fill="#8a5a3c"/></svg>',
  },
  '/dashboard.js': { type: 'text/javascript', body: textOf('dashboard.js') },
  '/developers.js': { type: 'text/javascript', body: textOf('developers.js') },
};

/** Pages, and emails. */
export const shownPages: readonly GalleryPage[] = [...gallery, ...emailPages];

/** Emails have their styles beside their elements. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; form-action 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'";

/** Serves each page of the gallery at its name, under a policy that lets tests fetch. Closes with the test. */
export async function startGallery(): Promise<string> {
  const { url } = await startReceiver({
    respond: ({ path }) => {
      const type = (name: string) => ({ 'content-type': `${name}; charset=utf-8`, 'content-security-policy': policy });
      const asset = assets[path];
      if (asset !== undefined) return { status: 200, headers: type(asset.type), body: asset.body };
      const page = shownPages.find(({ name }) => path === `/${name}`);
      if (page === undefined) return { status: 204 };
      return { status: 200, headers: type('text/html'), body: page.render({ stylesheets: ['/style.css'] }) };
    },
  });
  return url;
}
