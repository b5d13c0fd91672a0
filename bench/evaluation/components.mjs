// Writes the components of our side into a folder: one tool, one checker, N samples.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOL = `export const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' }, examples: [{ input: {}, world: {} }] };
export function run() { return {}; }
`;
const CHECKER = `export const checker = { id: 'answers', description: 'It answers.', rules: ['R1'] };
export function check({ final }) { return { pass: final.includes('yes'), reason: 'looked for yes', evidence: [] }; }
`;

export function writeComponents(dir, samples) {
  for (const folder of ['tools', 'checkers', 'samples']) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'tools/look.mjs'), TOOL);
  writeFileSync(join(dir, 'checkers/answers.mjs'), CHECKER);
  for (let index = 0; index < samples; index += 1) {
    const sample = {
      id: `s${index}`,
      title: 'A question',
      category: 'questions',
      covers: ['R1'],
      start: { world: {} },
      user: { says_first: `Question ${index}?` },
      expect: { end_state: 'unchanged', must_say: [{ any: ['yes'] }] },
      gold: [],
      gold_says: 'yes',
      wrong: [],
      wrong_says: 'no',
      checkers: ['answers'],
    };
    writeFileSync(join(dir, `samples/s${index}.json`), JSON.stringify(sample));
  }
}
