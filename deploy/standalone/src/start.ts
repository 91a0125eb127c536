import { pathToFileURL } from 'node:url';
import { currentBundle } from './bundle/sources.ts';

const bundle = currentBundle();
await import(bundle === undefined ? './main.ts' : pathToFileURL(bundle).href);
