import { Account } from '../identity/account.entity.ts';
import { ApiKey } from '../identity/api-key.entity.ts';
import { Session } from '../identity/session.entity.ts';
import { User } from '../identity/user.entity.ts';

export const entities = [Account, User, Session, ApiKey];
