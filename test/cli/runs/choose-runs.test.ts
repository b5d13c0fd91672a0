/** Which runs `--where` chooses, and what it does not take. */
import { describe, expect, test } from 'vitest';
import { parseLabels, parseWhere } from '../../../src/cli/runs/choose-runs.ts';
import type { IndexedRun } from '../../../src/run-folder/run-index.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const run = {
  ...{ id: 'a', scenario: 'desk', dir: '/r/a', length: 3, status: 'errored', isOver: false, round: 1, iteration: 1 },
  ...{ at: '2026-11-24T12:00:00Z', startedAt: '2026-11-24T11:00:00Z', labels: { team: 'x', tier: 'night' } },
} satisfies IndexedRun;
const isChosen = (where: string): boolean => parseWhere(where).every((holds) => holds(run, NOW));

test.each([
  ['label.team=x', true],
  ['label.team=y|x', true],
  ['label.team!=x', false],
  ['label.owner=x', false],
  ['label.owner!=x', true],
  ['state=errored', true],
  ['state=paused|errored scenario=desk', true],
  ['state!=errored', false],
  ['older=2d', true],
  ['older=4d', false],
  ['younger=4d label.tier=night', true],
  ['label.team=x state=errored older=2d', true],
  ['label.team=x state=errored older=2d scenario=other', false],
])('%s: %s', (where, chosen) => expect(isChosen(where)).toBe(chosen));

test.each(['', 'team=x', 'state=broken', 'older=soon', 'older!=2d', 'label.team'])('"%s" is refused', (where) => {
  expect(() => parseWhere(where)).toThrow(expect.objectContaining({ code: 'usage' }));
});

describe('labels', () => {
  test('are names with values', () => {
    expect(parseLabels(['team=payments', 'build=2026-11-27_a=b'.replace('=b', '/b')])).toEqual({
      team: 'payments',
      build: '2026-11-27_a/b',
    });
    expect(parseLabels(undefined)).toBeUndefined();
  });
  test.each([[['team']], [['team=']], [['=x']], [['team=a', 'team=b']], [['team=a b']], [['team=\u001B[31m']]])(
    '%j are refused',
    (given) => expect(() => parseLabels(given)).toThrow(expect.objectContaining({ code: 'usage' })),
  );
});
