import { hash, randomBytes } from 'node:crypto';

/** 256 random bits, as base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** What is stored of a secret, as PostgreSQL reads a bytea; a type of its own, so that no secret is stored instead. */
export type SecretHash = `\\x${string}`;

/** A secret that cannot be guessed needs no slow hash. */
export const hashOf = (secret: string): SecretHash => `\\x${hash('sha256', secret, 'hex')}`;
