import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';

/** A Chromium that starts on this machine, and what its environment needs. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Where unpacked copies are kept: ignored by git, and removed with the packages. */
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));

/** Where its program runs. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

/**
 * The browser of the tests: CHROMIUM_BIN, else the package `@sparticuz/chromium`, which npm has installed and which is
 * unpacked once, else what is on PATH. A program that can show windows draws them without a display too, and takes three
 * times the CPU of the package's, which has none.
 */
export async function findChromium(env: NodeJS.ProcessEnv = process.env, packaged = isPackaged): Promise<Chromium> {
  const { CHROMIUM_BIN, PATH = '' } = env;
  if (CHROMIUM_BIN) return { executablePath: CHROMIUM_BIN, env: {} };
  if (packaged) return await unpackedChromium(cache);
  for (const directory of PATH.split(delimiter)) {
    for (const name of names) {
      const executablePath = join(directory, name);
      if (directory !== '' && (await isExecutable(executablePath))) return { executablePath, env: {} };
    }
  }
  throw new Error('No Chromium on PATH: install one, or name its program in CHROMIUM_BIN.');
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The machine's fonts, where it has some, and those of the package. */
const fontsConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`;

async function unpackedChromium(folder: string): Promise<Chromium> {
  const packed = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')));
  const { version } = JSON.parse(await readFile(join(packed, '../package.json'), 'utf8')) as { version: string };
  const unpacked = join(folder, `chromium-${version}`);
  if (!existsSync(unpacked)) await unpack(packed, folder, unpacked);
  return {
    executablePath: join(unpacked, 'chromium'),
    // A bare machine lacks NSS and fonts. They are those of the package, for this program only.
    env: { LD_LIBRARY_PATH: join(unpacked, 'lib'), FONTCONFIG_PATH: unpacked },
  };
}

/** In a folder of its own until it is whole: another run may unpack at the same time, and either may be killed. */
async function unpack(packed: string, folder: string, unpacked: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const partial = await mkdtemp(join(folder, 'chromium-partial-'));
  try {
    await untar(join(packed, 'al2023.tar.br'), partial);
    await untar(join(packed, 'fonts.tar.br'), partial);
    await writeFile(join(partial, 'fonts.conf'), fontsConfig);
    await writeProgram(join(packed, 'chromium.br'), join(partial, 'chromium'));
    await rename(partial, unpacked);
  } catch (err) {
    // The other run was first.
    if (!existsSync(unpacked)) throw err;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function writeProgram(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), (bytes) => writeFile(to, bytes, { mode: 0o755 }));
}

/** By way of a file: tar stops reading at the archive's end mark, and a pipe would break under the padding after it. */
async function untar(from: string, into: string): Promise<void> {
  const archive = join(into, 'archive.tar');
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(archive));
  await promisify(execFile)('tar', ['-x', '--no-same-owner', '-f', archive, '-C', into]);
  await rm(archive);
}
