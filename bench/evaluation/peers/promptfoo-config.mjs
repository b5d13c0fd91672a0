// Writes the same work as a promptfoo suite: N tests, a provider that waits 50 ms, one check each.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUBJECT = new URL('says-yes.mjs', import.meta.url).href;

export function writePromptfoo(dir, samples) {
  writeFileSync(
    join(dir, 'provider.mjs'),
    `import { saysYes } from '${SUBJECT}';\nexport default class Waits { id() { return 'waits'; } async callApi() { return { output: await saysYes() }; } }\n`,
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
