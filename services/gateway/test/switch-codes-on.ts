import { codeOf } from '@app/testing/one-time-codes';
import { expect } from 'vitest';
import { send } from './http.ts';

/** Gives the user of a confirmed session one-time codes; each further log-in of theirs lacks a factor. */
export async function switchCodesOn(url: string, session: string, nowMs: number): Promise<void> {
  const { secret } = (await send(url, 'POST', '/api/auth/codes', { session })).json;
  const body = { code: codeOf(secret, nowMs) };
  expect((await send(url, 'POST', '/api/auth/codes/activate', { session, body })).status).toBe(200);
}
