/** The platform's version, as in every package.json: in NATS service discovery, traces and metrics. The API has its own. */
export const version = '0.2.0';
