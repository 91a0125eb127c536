import type { Pages } from '../frame/visit.ts';
import { showChangeAutomation, showNewAutomation, takeChangeAutomation, takeNewAutomation } from './automation-edit.ts';
import {
  showRemoveAutomation,
  showSwitchAutomation,
  showTestAutomation,
  takeRemoveAutomation,
  takeSwitchAutomation,
  takeTestAutomation,
} from './automation-switch.ts';
import { showAutomation, showAutomations } from './automations.ts';
import {
  showHeld,
  showRemoveEndpoint,
  showSwitch,
  takeHeld,
  takeRemoveEndpoint,
  takeSwitch,
} from './endpoint-switch.ts';
import { showSelfTest, showTest, takeSelfTest, takeTest } from './endpoint-tests.ts';
import {
  showChangeEndpoint,
  showEndpoint,
  showEndpoints,
  showNewEndpoint,
  takeChangeEndpoint,
  takeNewEndpoint,
} from './endpoints.ts';
import { showKey, showKeys, showNewKey, takeKey, takeNewKey } from './keys.ts';
import { showMcp, takeMcp } from './mcp.ts';
import { showRecover, showRecoveries, showRecovery, takeRecover, takeRecovery } from './recoveries.ts';
import { automationSecret, endpointSecret } from './signing-secret.ts';

const endpoint = '/app/integrations/webhooks/:id';
const automation = '/app/integrations/automations/:id';

export const integrationsPages: Pages = {
  '/app/integrations': { show: showEndpoints },
  '/app/integrations/webhooks/new': { show: showNewEndpoint, take: takeNewEndpoint },
  [endpoint]: { show: showEndpoint },
  [`${endpoint}/change`]: { show: showChangeEndpoint, take: takeChangeEndpoint },
  [`${endpoint}/secret`]: endpointSecret,
  [`${endpoint}/test`]: { show: showTest, take: takeTest },
  [`${endpoint}/self-test`]: { show: showSelfTest, take: takeSelfTest },
  [`${endpoint}/held`]: { show: showHeld, take: takeHeld },
  [`${endpoint}/switch`]: { show: showSwitch, take: takeSwitch },
  [`${endpoint}/recover`]: { show: showRecover, take: takeRecover },
  [`${endpoint}/remove`]: { show: showRemoveEndpoint, take: takeRemoveEndpoint },
  '/app/integrations/automations': { show: showAutomations },
  '/app/integrations/automations/new': { show: showNewAutomation, take: takeNewAutomation },
  [automation]: { show: showAutomation },
  [`${automation}/change`]: { show: showChangeAutomation, take: takeChangeAutomation },
  [`${automation}/secret`]: automationSecret,
  [`${automation}/test`]: { show: showTestAutomation, take: takeTestAutomation },
  [`${automation}/switch`]: { show: showSwitchAutomation, take: takeSwitchAutomation },
  [`${automation}/remove`]: { show: showRemoveAutomation, take: takeRemoveAutomation },
  '/app/integrations/recoveries': { show: showRecoveries },
  '/app/integrations/keys': { show: showKeys },
  '/app/integrations/keys/new': { show: showNewKey, take: takeNewKey },
  '/app/integrations/keys/:id': { show: showKey, take: takeKey },
  '/app/integrations/mcp': { show: showMcp, take: takeMcp },
  '/app/integrations/recoveries/:id': { show: showRecovery, take: takeRecovery },
};
