import { writeFileSync } from 'node:fs';
import { operations } from '../api/operations/all-operations.ts';
import { openApiDocument } from './document.ts';

/** Writes the published description into docs/; a test compares it with what is served. */
const file = new URL('../../../../docs/openapi.json', import.meta.url);
const document = openApiDocument(operations, 'http://127.0.0.1:3000');
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
