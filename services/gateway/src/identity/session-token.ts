import { hash, randomBytes } from 'node:crypto';

export const sessionDays = 30;

/** 256 random bits: the token needs no pepper, that space cannot be searched. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSessionToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
