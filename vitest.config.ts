/**
 * The suites: `everyday` stays under a minute; `slow` kills processes, runs whole stories and reads the wire; `alone` is what a
 * loaded machine disturbs; `nightly` is long by nature; `recordings` needs what is not ours.
 */
import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where there is one with room: the everyday tests write thousands of small files, and none is about the disk itself. */
function memoryFolder(path = '/dev/shm'): { TMPDIR?: string } {
  if (!existsSync(path)) return {};
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize > 1e9 ? { TMPDIR: path } : {};
}

/** Slow tests that measure time or fill the machine themselves, each with the reason why nothing may run beside it. */
const ALONE: Record<string, string> = {
  'test/slow/browser/minute.test.ts': 'measures the seconds before a page answers',
  'test/slow/typing.test.ts': 'a paste without marks is told by how quickly its keys come',
};

/** The files that take longest, as `.ci/run` prints them: one that begins last keeps one core busy while the other waits. */
const LONGEST_EVERYDAY = [
  'adapters/limits/limits',
  'evaluation/proof/relations/other-requests',
  'cli/evaluate/verify-components',
  'evaluation/proof/relations/read-by-table',
  'evaluation/proof/relations/guard-neighbours',
  'evaluation/proof/table/hold-table',
  'adapters/quickjs/quickjs',
  'cli/evaluate/evaluate',
  'pipeline/steps/prove-strength',
  'cli/evaluate/outage',
  'properties/foreign-messages.property',
  'gate/rules/gaps/design-gaps',
  'context/cases-loops',
  'web/safety',
  'pipeline/chat/chat',
].map((name) => `/test/${name}.test.ts`);
const LONGEST_SLOW = [
  ...['every-door', 'docs-blocks', 'exit-codes', 'attacks', 'schedules', 'chaos', 'chaos-worker', 'ci'],
  ...['attribution', 'shared-samples', 'unfit-workers', 'money-under-faults', 'crash-in-compaction', 'small-budget'],
  ...['walls', 'golden-runs-shipped', 'browser/second-thoughts', 'worker-process', 'seeded-faults', 'browser/look'],
  ...['bullmq', 'golden-runs', 'store-commands', 'ci-scripts', 'browser/story', 'clinic-booking', 'cli', 'batch'],
  ...['kill-and-resume', 'context-policies', 'outages'],
].map((name) => `/test/slow/${name}.test.ts`);
const LONGEST = [...LONGEST_EVERYDAY, ...LONGEST_SLOW];

/** Vitest itself knows only how large a file is, and how long it took the last time on this machine. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((ending) => moduleId.endsWith(ending));
      return found === -1 ? LONGEST.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Real processes, servers and disks. */
const PROCESSES = {
  testTimeout: 300_000,
  hookTimeout: 60_000,
  globalSetup: ['test/support/share-folder-setup.ts'],
};

export default defineConfig({
  test: {
    // One more than there are cores: tests wait for timers and child processes as much as they compute.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'everyday',
          include: ['test/**/*.test.ts'],
          exclude: ['test/slow/**', 'test/nightly/**', 'test/wire/**', 'test/recordings/**', 'test/live/**'],
          isolate: false,
          testTimeout: 20_000,
          env: memoryFolder(),
        },
      },
      {
        test: {
          ...PROCESSES,
          name: 'slow',
          include: ['test/slow/**/*.test.ts', 'test/wire/**/*.test.ts'],
          exclude: Object.keys(ALONE),
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: { ...PROCESSES, name: 'alone', include: Object.keys(ALONE), maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
      {
        test: {
          ...PROCESSES,
          name: 'nightly',
          include: ['test/nightly/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // Fails where the recordings are not (test/support/recordings.ts); `.ci/run` asks first.
        test: { name: 'recordings', include: ['test/recordings/**/*.test.ts'], testTimeout: 60_000 },
      },
    ],
  },
});
