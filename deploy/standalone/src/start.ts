import { currentBundle } from './bundle/sources.ts';

await import(currentBundle() ?? './main.ts');
