/** The platform's version, as in every package.json: in NATS service discovery, traces and metrics. The API has its own. */
export const version = '0.3.0';
/** The release whose services work on this version's schema: both run during a rolling update, and an upgrade can be taken back. */
export const releaseBefore = '0.2.0';
