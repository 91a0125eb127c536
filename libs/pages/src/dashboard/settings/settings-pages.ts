import type { Pages } from '../frame/visit.ts';
import { showAccount, takeAccount } from './account.ts';
import { showAuditLog } from './audit-log.ts';
import { settingsGroup } from './change-settings.ts';
import { logoCard, logoPath, showLogo, takeLogo } from './logo.ts';
import { pagesPreviewPath, showPagesPreview } from './pages-preview.ts';
import { showPayments, takePayments } from './payments.ts';
import { showSecurity, takeSecurity } from './security.ts';
import { auditLogPath, securityPath } from './settings-page.ts';
import { showSupportEmail, supportEmailNotice, supportEmailPath, takeSupportEmail } from './support-email.ts';
import { showTestMode, takeTestMode } from './test-mode.ts';

export const settingsPages: Pages = {
  '/app/settings': settingsGroup('/app/settings', {
    below: (settings, visit) => supportEmailNotice(visit, settings),
  }),
  [supportEmailPath]: { show: showSupportEmail, take: takeSupportEmail },
  '/app/settings/pages': settingsGroup('/app/settings/pages', {
    below: ({ logoUrl }) => logoCard(logoUrl),
    preview: pagesPreviewPath,
  }),
  [pagesPreviewPath]: { show: showPagesPreview, take: showPagesPreview },
  [logoPath]: { show: showLogo, take: takeLogo },
  '/app/settings/selling': settingsGroup('/app/settings/selling'),
  '/app/settings/portal': settingsGroup('/app/settings/portal'),
  '/app/settings/payments': { show: showPayments, take: takePayments },
  '/app/settings/account': { show: showAccount, take: takeAccount },
  [securityPath]: { show: showSecurity, take: takeSecurity },
  [auditLogPath]: { show: showAuditLog },
  '/app/settings/test-mode': { show: showTestMode, take: takeTestMode },
};
