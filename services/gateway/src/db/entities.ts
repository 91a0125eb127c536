import { Account } from '../accounts/account.entity.ts';
import { User } from '../accounts/user.entity.ts';
import { ApiKey } from '../api-keys/api-key.entity.ts';
import { Session } from '../sessions/session.entity.ts';

export const entities = [Account, User, Session, ApiKey];
