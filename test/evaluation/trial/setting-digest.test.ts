import { expect, test } from 'vitest';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { settingDigest } from '../../../src/evaluation/collect-results.ts';
import { lampsBrief, lampsDesign, lampsFolder, trustedSandbox, turnOn } from '../lamps.ts';

async function settingOf(files: Record<string, unknown> = {}, edits: Record<string, (text: string) => string> = {}) {
  const dir = await lampsFolder(files, edits);
  const { components } = await loadComponents(dir, trustedSandbox(), new AbortController().signal);
  const loaded = components.samples.find(({ sample }) => sample.id === 'turn-on');
  if (loaded === undefined) throw new Error('turn-on');
  return settingDigest(loaded, { brief: lampsBrief(), design: lampsDesign(), components, maxTokens: 500 });
}

test('it changes with what subject and user meet, and not with what judges them', async () => {
  const [same, judged, other] = await Promise.all([
    settingOf(),
    settingOf(
      { 'samples/turn-on.json': { ...turnOn, expect: { ...turnOn.expect, must_say: [] }, gold_says: 'Done.' } },
      { 'checkers/as-asked.mjs': (text) => text.replace('it is on', 'on') },
    ),
    settingOf({}, { 'tools/read_lamp.mjs': (text) => text.replace('Reads a lamp.', 'Looks at a lamp.') }),
  ]);
  const user = await settingOf({ 'samples/turn-on.json': { ...turnOn, user: { says_first: 'Light, please.' } } });
  expect(judged).toBe(same);
  expect(new Set([same, other, user]).size).toBe(3);
});
