import { readFileSync } from 'node:fs';
import { startReceiver } from '@app/testing/http-receiver';
import { pageFiles } from '../src/files.ts';
import { gallery } from '../src/gallery/gallery.ts';

const style = ['pages.css', 'dashboard.css']
  .flatMap((name) => pageFiles[name] ?? [])
  .map((part) => readFileSync(part, 'utf8'))
  .join('\n');

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'";

/** Serves each page of the gallery at its name, under the policy of pages without script, but that tests may fetch. Closes with the test. */
export async function startGallery(): Promise<string> {
  const { url } = await startReceiver({
    respond: ({ path }) => {
      const type = (name: string) => ({ 'content-type': `${name}; charset=utf-8`, 'content-security-policy': policy });
      if (path === '/style.css') return { status: 200, headers: type('text/css'), body: style };
      const page = gallery.find(({ name }) => path === `/${name}`);
      if (page === undefined) return { status: 204 };
      return { status: 200, headers: type('text/html'), body: page.render({ stylesheets: ['/style.css'] }) };
    },
  });
  return url;
}
