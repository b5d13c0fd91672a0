// Writes the same work as a promptfoo suite: N tests, a provider that waits 50 ms, one check each.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writePromptfoo(dir, samples) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, 'provider.mjs'),
    `export default class Waits { id() { return 'waits'; } async callApi() { await new Promise((done) => setTimeout(done, 50)); return { output: 'yes' }; } }\n`,
  );
  const tests = Array.from({ length: samples }, (_, index) => ({
    vars: { n: index },
    assert: [{ type: 'contains', value: 'yes' }],
  }));
  writeFileSync(
    join(dir, 'suite.json'),
    JSON.stringify({ prompts: ['Question {{n}}?'], providers: ['file://provider.mjs'], tests }),
  );
}
