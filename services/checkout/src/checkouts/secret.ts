import { hash, randomBytes } from 'node:crypto';

/** 256 random bits, as base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** What is stored of a secret, as PostgreSQL reads a bytea. A secret that cannot be guessed needs no slow hash. */
export const hashOf = (secret: string): string => `\\x${hash('sha256', secret, 'hex')}`;
