// node build.mjs: the extension in one file; `test`: its tests, with a double of VS Code's API; `package OUT VERSION`: the
// .vsix, the same bytes from the same commit (SOURCE_DATE_EPOCH).
import { build } from 'esbuild';
import { createVSIX } from '@vscode/vsce';
import fs from 'node:fs';
import path from 'node:path';
import yauzl from 'yauzl';
import yazl from 'yazl';

const [what, out, version] = process.argv.slice(2);
const common = { bundle: true, platform: 'node', target: 'node18', format: 'cjs', logLevel: 'warning' };

// extension writes the extension in one file, and the licences of the packages in it.
async function extension() {
  const { metafile } = await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'], minify: true, legalComments: 'none', metafile: true });
  const packages = new Set(Object.keys(metafile.inputs).map(f => /^.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(f)?.[0]).filter(Boolean));
  let notices = '';
  for (const dir of [...packages].sort()) {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
    const licence = fs.readdirSync(dir).find(f => /^licen[cs]e/i.test(f));
    if (!licence) throw new Error(`${name} has no licence`);
    notices += `==== ${name} ${version}\n\n${fs.readFileSync(path.join(dir, licence), 'utf8')}\n`;
  }
  fs.writeFileSync('dist/NOTICES', notices);
}

async function tests() {
  fs.rmSync('build', { recursive: true, force: true });
  const files = fs.readdirSync('test').filter(f => f.endsWith('.test.ts'));
  await build({ ...common, entryPoints: files.map(f => path.join('test', f)), outdir: 'build', alias: { vscode: './test/vscode.ts' } });
}

// entries lists the files of an archive with their contents.
function entries(file) {
  return new Promise((resolve, reject) => yauzl.open(file, { lazyEntries: true }, (err, zip) => {
    if (err) return reject(err);
    const list = [];
    zip.on('error', reject).on('end', () => resolve(list)).on('entry', entry => zip.openReadStream(entry, (err, stream) => {
      if (err) return reject(err);
      const parts = [];
      stream.on('error', reject).on('data', d => parts.push(d)).on('end', () => {
        list.push({ name: entry.fileName, data: Buffer.concat(parts) });
        zip.readEntry();
      });
    }));
    zip.readEntry();
  }));
}

// same writes an archive again, without what differs between two runs: times, and the order.
async function same(file) {
  const zip = new yazl.ZipFile();
  const mtime = new Date(1000 * Math.max(Number(process.env.SOURCE_DATE_EPOCH ?? 0), 315619200)); // ZIP begins in 1980
  for (const { name, data } of (await entries(file)).sort((a, b) => (a.name < b.name ? -1 : 1)))
    zip.addBuffer(data, name, { mtime, mode: 0o100644 });
  zip.end();
  const parts = [];
  for await (const part of zip.outputStream) parts.push(part);
  fs.writeFileSync(file, Buffer.concat(parts));
}

switch (what) {
  case undefined: await extension(); break;
  case 'test': await tests(); break;
  case 'package': {
    await extension();
    const copies = [['../../LICENSE', 'LICENSE'], ['../../docs/manifest.schema.json', 'manifest.schema.json']];
    for (const [from, to] of copies) fs.copyFileSync(from, to);
    try {
      await createVSIX({ packagePath: out, version, updatePackageJson: false, dependencies: false, gitTagVersion: false });
    } finally {
      for (const [, to] of copies) fs.rmSync(to);
    }
    await same(out);
    break;
  }
  default: throw new Error(`what is ${what}?`);
}
