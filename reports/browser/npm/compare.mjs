// compare.mjs WANT GOT DIFFERENCE: prints the share of pixels that a reader would see to differ, and draws them.
import { readFileSync, writeFileSync } from 'node:fs';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const [want, got] = process.argv.slice(2, 4).map(f => PNG.sync.read(readFileSync(f)));
if (want.width !== got.width || want.height !== got.height) {
  console.log(1);
} else {
  const drawn = new PNG({ width: got.width, height: got.height });
  const n = pixelmatch(want.data, got.data, drawn.data, got.width, got.height, { threshold: 0.2 });
  writeFileSync(process.argv[4], PNG.sync.write(drawn));
  console.log(n / (got.width * got.height));
}
