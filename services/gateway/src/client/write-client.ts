import { writeFileSync } from 'node:fs';
import type { ApiDescription } from '@app/pages/developers/api-description';
import { operations } from '../api/operations/all-operations.ts';
import { openApiDocument } from '../openapi/document.ts';
import { clientSource } from './client-source.ts';

/** Writes the published client into clients/; a test compares it with what is served. */
const file = new URL('../../../../clients/typescript/client.ts', import.meta.url);
const baseUrl = 'http://127.0.0.1:3000';
const api = JSON.parse(JSON.stringify(openApiDocument(operations, baseUrl))) as ApiDescription;
writeFileSync(file, clientSource(api, baseUrl));
