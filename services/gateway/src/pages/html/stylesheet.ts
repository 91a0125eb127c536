import { readFileSync } from 'node:fs';

const base = readFileSync(new URL('base.css', import.meta.url));

/** The stylesheet of some pages: what all pages share, and then their own rules. */
export const stylesheet = (url: URL): Buffer => Buffer.concat([base, readFileSync(url)]);
