/*
 * Who may import whom. TypeScript 7 has no compiler API, so the swc parser reads the sources: without it nothing is
 * cruised and everything passes, which is why test/architecture.test.ts counts the modules.
 */
const { Visitor } = require('@swc/core/Visitor');

// The visitor that dependency-cruiser walks with does not know `using` and stops at it; swc's parser does.
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  statement.decls = this.visitVariableDeclarators(statement.decls);
  return statement;
};

const tests = '\\.test\\.ts$|^(services|libs|deploy)/[^/]+/test/|^test/|^e2e/';
const packageSource = '^(libs|services|deploy)/[^/]+/src/';

/** Files that run on their own, so that no file needs to import them. */
const entryPoints = [
  tests,
  '/src/main\\.ts$',
  '/src/db/migrate\\.ts$',
  '^services/gateway/src/openapi/write-openapi\\.ts$',
  '^services/gateway/src/client/(write-client|runtime)\\.ts$',
  '^libs/testing/src/global-setup\\.ts$',
  '^bench/main\\.ts$',
  '^deploy/(require-)?node\\.js$',
  // Browsers load it.
  '^libs/pages/src/browser/',
  '^vitest\\.config\\.ts$',
  '\\.d\\.ts$',
].join('|');

/** The library imports no other libraries than these. */
const importsOnly = (library, others, comment) => ({
  ...(comment && { comment }),
  from: { path: `^libs/${library}/src/`, pathNot: tests },
  to: { path: '^libs/', pathNot: `^libs/(${[library, ...others].join('|')})/` },
});

/** Errors all, by their names. */
const rules = {
  'no-cycles': {
    from: {},
    to: { circular: true },
  },
  'no-cycles-of-folders': {
    comment: 'Folders are layers: what two of them need of each other belongs below both.',
    scope: 'folder',
    from: { path: '^services/[^/]+/src' },
    to: { circular: true },
  },
  'folders-never-import-the-root-of-their-service': {
    comment: 'service.ts and config.ts wire the folders; what a folder needs of them it takes as an interface.',
    from: { path: '^services/[^/]+/src/[^/]+/', pathNot: tests },
    to: { path: '^services/[^/]+/src/[^/]+\\.ts$' },
  },
  'gateway-operations-are-imported-by-what-publishes-them': {
    comment: 'The framework of operations knows none of them.',
    from: {
      path: '^services/gateway/src/(api/([^/]+\\.ts$|portal/)|(db|edge|identity|limits|problems)/)',
      pathNot: tests,
    },
    to: { path: '^services/gateway/src/(api/operations|client|mcp|openapi|pages)/' },
  },
  'loaded-when-needed': {
    comment: 'A start does not wait for this code: import() it where it is needed.',
    from: {},
    to: {
      path: '^services/gateway/src/mcp/serve-mcp\\.ts$|^deploy/standalone/src/seller\\.ts$',
      dynamic: false,
      dependencyTypesNot: ['type-only'],
    },
  },
  'mcp-sdk-behind-its-door': {
    comment: 'serve-mcp.ts is loaded with the first MCP message, and the SDK with it.',
    from: {
      path: '^services/gateway/src/',
      pathNot: '^services/gateway/src/mcp/(serve-mcp|mcp-server|confirmation)\\.ts$',
    },
    to: { path: 'node_modules/@modelcontextprotocol/', dependencyTypesNot: ['type-only'] },
  },
  'mcp-server-behind-its-door': {
    from: {
      pathNot: ['^services/gateway/src/mcp/(serve-mcp|mcp-server|call-tool|direct-call|resources)\\.ts$', tests],
    },
    to: {
      path: '^services/gateway/src/mcp/(mcp-server|call-tool|confirmation|direct-call|resources)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  'nothing-unresolved': {
    comment: 'A module that cannot be found is a typing error or a missing dependency.',
    from: {},
    to: { couldNotResolve: true },
  },
  'no-orphans': {
    comment: 'Imports nothing, is imported by no module, and is not an entry point.',
    from: { orphan: true, pathNot: entryPoints },
    to: {},
  },
  'facts-know-no-attempts': {
    comment: 'The ledger of billing lies below all that learn what a processor did, and write it.',
    from: { path: '^services/billing/src/ledger/', pathNot: tests },
    to: { path: '^services/billing/src/', pathNot: '^services/billing/src/(ledger|processors)/' },
  },
  'reconciliation-repairs-what-charges': {
    comment:
      'Reconciliation of billing alone knows that a database can be restored and that money can exist on one side. What charges asks it by `PaymentDeps`.',
    from: {
      path: '^services/billing/src/(charging|holds|refunds|cards|subscriptions|disputes|processors|runs)/',
      pathNot: tests,
    },
    to: { path: '^services/billing/src/reconciliation/' },
  },
  'services-never-import-each-other': {
    comment: 'Services talk over NATS; what they promise each other is in @app/contracts.',
    from: { path: '^services/([^/]+)/' },
    to: { path: '^services/', pathNot: '^services/$1/' },
  },
  'libs-never-import-services': {
    from: { path: '^libs/' },
    to: { path: '^(services|deploy|e2e|bench|test)/' },
  },
  'services-import-libs-only': {
    from: { path: '^services/' },
    to: { path: '^(deploy|e2e|bench|test)/' },
  },
  'money-imports-nothing': {
    from: { path: '^libs/money/src/', pathNot: tests },
    to: { pathNot: '^libs/money/src/' },
  },
  'pages-are-pure': {
    comment:
      'Pages turn data into HTML, and get it by `call`: no requests to services, no database, no files, no server.',
    from: { path: '^libs/pages/src/', pathNot: tests },
    to: { pathNot: '^libs/(pages|contracts|money)/|(^|/)node_modules/(qr|d3-scale|d3-shape)/' },
  },
  'pages-reach-everything-by-call': {
    comment:
      'Routes of pages know HTTP. What a page shows and does are calls of operations: no requester, no database, no requests of services.',
    from: { path: '^services/gateway/src/pages/', pathNot: tests },
    to: {
      path: '^(libs|services)/|node_modules/(@mikro-orm|pg|@nats-io)/',
      pathNot: [
        '^services/gateway/src/(pages|client|edge|openapi|problems)/',
        '^services/gateway/src/api/(create-call|operations/all-operations)\\.ts$',
        '^services/gateway/src/(identity/([^/]+\\.rules|letters/letter-paths)|mcp/(tools|generic-tools))\\.ts$',
        '^libs/pages/src/',
        '^libs/contracts/src/(common|errors|ids)\\.ts$',
        '^libs/service-kit/src/clock\\.ts$',
      ],
    },
  },
  'contracts-import-zod-only': {
    comment: 'And domainToASCII of node:url, by which addresses are compared.',
    from: { path: '^libs/contracts/src/', pathNot: tests },
    to: { pathNot: '^libs/contracts/src/|(^|/)node_modules/zod/|^(node:)?url$' },
  },
  'service-kit-never-imports-messaging': importsOnly(
    'service-kit',
    ['contracts', 'money'],
    'The service composes the two; messaging builds on service-kit.',
  ),
  'messaging-imports-service-kit-and-contracts': importsOnly('messaging', ['service-kit', 'contracts']),
  'runs-import-service-kit-money-and-contracts': importsOnly(
    'runs',
    ['service-kit', 'money', 'contracts'],
    'Long runs for accounts live here alone: services give them their work and the table of their rows.',
  ),
  'service-host-wires-messaging-and-service-kit': importsOnly('service-host', [
    'messaging',
    'service-kit',
    'contracts',
  ]),
  'embedded-imports-no-lib': importsOnly('embedded', []),
  'rules-are-pure': {
    comment:
      'A *.rules.ts decides from its arguments: contracts, money, the look of emails, its own *.rules.ts and *.types.ts, no I/O.',
    from: { path: '^((?:services|libs)/[^/]+)/.+\\.rules\\.ts$' },
    to: {
      pathNot: '^libs/(contracts|money)/|^libs/email/src/letter\\.rules\\.ts$|^$1/.+\\.(rules|types)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  'rules-take-types-from-their-own-package': {
    from: { path: '^((?:services|libs)/[^/]+)/.+\\.rules\\.ts$' },
    to: {
      pathNot: '^libs/(contracts|money)/|^libs/email/src/letter\\.rules\\.ts$|^$1/',
      dependencyTypes: ['type-only'],
    },
  },
  'testing-is-for-tests': {
    from: { pathNot: `${tests}|^libs/testing/|^bench/|^vitest\\.config` },
    to: { path: '^libs/testing/' },
  },
  'embedded-servers-are-not-for-services': {
    from: { pathNot: `${tests}|^libs/(embedded|testing)/|^deploy/standalone/|^bench/` },
    to: { path: '^libs/embedded/' },
  },
  'packages-are-imported-by-name': {
    comment: 'A relative path never leaves its package: @app/<name>/<module>, as that package exports it.',
    from: { path: '^((?:libs|services|deploy)/[^/]+|e2e|bench|test)/' },
    to: {
      path: '^(libs|services|deploy|e2e|bench|test)/',
      pathNot: '^$1/',
      dependencyTypes: ['local'],
      dependencyTypesNot: ['aliased-workspace'],
    },
  },
  'main-is-imported-by-nobody': {
    from: {},
    to: { path: '^(services|deploy)/[^/]+/src/main\\.ts$|^bench/main\\.ts$' },
  },
  'tests-are-imported-by-tests': {
    comment: 'The bench measures at the stand-in that the tests have of Stripe.',
    from: { pathNot: `${tests}|^bench/load/stripe\\.ts$` },
    to: { path: tests, pathNot: '^test/support/' },
  },
  'tests-do-not-sleep': {
    comment: 'Wait for a point that the code announces; real time passes in @app/testing/time-passes alone.',
    from: { path: tests },
    to: { path: '^(node:)?timers/promises$' },
  },
  'no-dev-dependencies-in-source': {
    from: { path: packageSource, pathNot: `${tests}|^libs/testing/` },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '(^|/)node_modules/@types/' },
  },
  'dependencies-are-declared': {
    from: { path: packageSource },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
};

module.exports = {
  forbidden: Object.entries(rules).map(([name, rule]) => ({ name, severity: 'error', ...rule })),
  options: {
    parser: 'swc',
    combinedDependencies: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
      mainFields: ['main', 'types'],
    },
  },
};
