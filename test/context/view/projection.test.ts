/** The projection after one compaction more is the one that the appended entry would make, and changes nothing. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { feedProjection, createProjection, withCompaction } from '../../../src/context/view/projection.ts';
import { projectEntries, buildView } from '../../../src/context/view/view.ts';
import type { CompactionEntry } from '../../../src/transcript/entry.ts';
import { compactBy, POLICY_NAMES, smallCore } from '../../support/policies.ts';
import { begunLog, busyLog, moves, play } from '../../support/transcripts.ts';
import { propertyRuns } from '../../support/property-runs.ts';

test('withCompaction gives the view of the appended entry, and the old projection stays', () => {
  fc.assert(
    fc.property(moves, fc.constantFrom(...POLICY_NAMES), (list, name) => {
      const log = begunLog();
      for (const move of list) play(log, move);
      const before = projectEntries(log.entries);
      const shown = JSON.stringify(buildView(before));
      const { accepted } = compactBy(log, smallCore(name), ['the task is unchanged [#e1]']);
      if (accepted?.ok !== true) return;
      const entry = log.entries.at(-1) as CompactionEntry;
      expect(buildView(withCompaction(before, entry))).toEqual(buildView(projectEntries(log.entries)));
      expect(JSON.stringify(buildView(before))).toBe(shown);
    }),
    propertyRuns(60),
  );
});

test('an appended message keeps the generation; a layer that changed after an answer begins a new epoch', () => {
  const projection = createProjection();
  const log = busyLog(2, 100);
  for (const entry of log.entries) feedProjection(projection, entry);
  expect([projection.epoch, projection.generation]).toEqual(['e0', 0]);
  const layer = log.append({ type: 'layer', name: 'project_rules', text: 'Tabs.', note: 'The rules changed.' });
  feedProjection(projection, layer);
  expect([projection.epoch, projection.generation]).toEqual([layer.id, 1]);
  expect(projection.layers.get('project_rules')).toBe('Tabs.');
});

test('a compaction that covers an unknown entry is refused by both ids', () => {
  const log = busyLog(12);
  compactBy(log, smallCore('two-agent'), ['x [#e3]']);
  const broken = { ...(log.entries.at(-1) as CompactionEntry), coversThrough: 'e999' };
  expect(() => withCompaction(projectEntries(log.entries.slice(0, -1)), broken)).toThrow(/covers through e999/);
});
