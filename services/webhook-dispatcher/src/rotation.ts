import type { Rotation } from '@app/service-host/rotate-secrets';
import { sealedColumn } from '@app/service-kit/reseal';
import { secretsOf } from '@app/service-kit/sealed-box';
import { headersBoundTo } from './secrets/own-headers.ts';
import { createSecretBox } from './secrets/secret-box.ts';

interface RotatedSettings {
  readonly SECRETS_KEY: string;
  readonly SECRETS_KEY_PREVIOUS?: string | undefined;
}

/** What is under `SECRETS_KEY`, and how it is sealed anew. */
export function dispatcherRotation({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }: RotatedSettings): Rotation {
  const box = createSecretBox(secretsOf(SECRETS_KEY, SECRETS_KEY_PREVIOUS));
  const ofEndpoint = (what: string, name: string, column: string, boundTo = (id: string): string => id) =>
    sealedColumn<string>({
      what,
      name,
      type: 'text',
      table: 'endpoints',
      keys: ['id'],
      sealed: column,
      reseal: (sealed, [id = '']) => box.reseal(sealed, boundTo(id)),
    });
  return {
    setting: 'SECRETS_KEY',
    columns: [
      ofEndpoint('signing secrets', 'endpoint-secrets', 'secret'),
      ofEndpoint('signing secrets from before', 'endpoint-previous-secrets', 'previous_secret'),
      ofEndpoint('headers of endpoints', 'endpoint-headers', 'headers', headersBoundTo),
      sealedColumn<string>({
        what: 'results of commands',
        name: 'command-secrets',
        type: 'text',
        table: 'commands',
        keys: ['id'],
        sealed: `result ->> 'sealedSecret'`,
        bound: [`result -> 'resource' ->> 'id'`],
        change: `result = jsonb_set(result, '{sealedSecret}', to_jsonb($3::text))`,
        reseal: (sealed, [id = '']) => box.reseal(sealed, id),
      }),
    ],
  };
}
