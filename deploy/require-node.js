// Plain JavaScript that old versions of Node can read: loaded before any TypeScript, which they cannot.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major] = process.versions.node.split('.');

if (Number(major) < 24 || !process.features.typescript) {
  process.stderr.write(
    `Funnelry runs on Node 24, and this is Node ${process.versions.node} or one that is set not to read TypeScript. ` +
      '`npm ci` brings Node 24 along unless it is called with --omit=dev or --ignore-scripts: ' +
      'call it without them, or install Node 24 or newer.\n',
  );
  process.exit(1);
}

// What Node has compiled is kept for the next start, which takes a second less. NODE_COMPILE_CACHE names another folder.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));
