/** The platform's version: in OpenAPI, MCP, NATS service discovery and traces. That of every package.json. */
export const version = '0.2.0';
