/** Random walks of hostile subjects over the shipped samples: whatever they say, the user says only what its sample holds. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { walkSample } from '../../../bench/words/walk-samples.ts';
import { Sample } from '../../../src/scenario/sample.ts';

const shipped = ['refund-desk', 'clinic-booking', 'tariff-desk'].flatMap((scenario) => {
  const folder = `scenarios/${scenario}/simulation/files/i1/samples`;
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.map((name) => Sample.parse(JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))));
});

test('no word that the sample does not hold, no consent that it does not name, no end beside a yes', async () => {
  const found = await Promise.all(shipped.map((sample) => walkSample(sample, { walks: 4, seed: 7 })));
  expect(shipped.length).toBeGreaterThan(50);
  expect(found.flat()).toEqual([]);
});
