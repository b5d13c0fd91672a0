/** Real sessions of Claude Code and pi: read whole, their fixed part found, kept under the limits of the core. */
import { describe, expect, test } from 'vitest';
import { view } from '../../src/context/index.ts';
import { fitRecorded } from '../../src/context-lab/replay/calibration.ts';
import { getText } from '../../src/transcript/message.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { readSession, REAL_SESSIONS } from '../support/recordings.ts';
import { throughCore } from '../support/replayed.ts';
import { coreWith } from '../support/transcripts.ts';

describe('the importer', () => {
  test.each([
    ['claude-code-a', 'claude-code', 1, 0],
    ['claude-code-b', 'claude-code', 1, 0],
    // Six calls of this session were interrupted: nobody recorded a result.
    ['pi-a', 'claude-code', 2, 6],
  ] as const)('%s is read whole: valid on the wire, its compactions found', (name, format, compactions, open) => {
    const read = readSession(REAL_SESSIONS, name);
    expect([read.format, read.compactions.length]).toEqual([format, compactions]);
    expect(findFault(view(read.entries).messages, { boundThinking: true, prefill: false })).toBeUndefined();
    const blocks = read.entries.flatMap(({ message }) => message.content);
    const results = blocks.filter(({ type }) => type === 'tool_result').length;
    expect(blocks.filter(({ type }) => type === 'tool_use')).toHaveLength(results + open);
    expect(results).toBeGreaterThan(150);
  });

  test('the fixed part of Claude Code is found from what was billed: 21 to 44 thousand tokens', () => {
    for (const name of ['claude-code-a', 'claude-code-b']) {
      const fit = fitRecorded(readSession(REAL_SESSIONS, name).entries);
      expect(fit?.samples).toBeGreaterThan(50);
      expect(fit?.fixed).toBeGreaterThan(15_000);
      expect(fit?.fixed).toBeLessThan(50_000);
      expect(fit?.ratio).toBeGreaterThan(0.5);
      expect(fit?.ratio).toBeLessThan(1.2);
    }
  });
});

describe('the core', () => {
  const core = coreWith(
    { trigger: { ratio: 0.75, tokens: undefined, reserve: 8000 }, keep: { steps: 3, maxTokens: 8000 } },
    { window: 60_000, maxOutput: 4000, floor: 5000 },
  );
  /** Each is long enough for several compactions; the rest of it shows nothing new and takes time. */
  const MESSAGES = 400;

  test.each(['claude-code-a', 'claude-code-b', 'pi-a'])(
    '%s: stays valid and under its limits, keeps its first task',
    (name) => {
      const recorded = readSession(REAL_SESSIONS, name).entries.slice(0, MESSAGES);
      const { entries, compactions } = throughCore(recorded, core);
      expect(compactions).toBeGreaterThan(1);
      const first = recorded.find(({ origin }) => origin === 'human');
      expect(getText(view(entries).messages[0] ?? { content: [] })).toContain(
        first && getText(first.message).slice(0, 200),
      );
    },
  );

  test('pi-a: the estimate is above what was billed for it', () => {
    const entries = readSession(REAL_SESSIONS, 'pi-a').entries.slice(0, MESSAGES);
    for (const [place, { response }] of entries.entries()) {
      if (response === undefined || place % 40 !== 1) continue;
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = response.usage;
      const estimated = core.budget.floor + estimateMessages(view(entries.slice(0, place)).messages);
      expect(estimated).toBeGreaterThan(input_tokens + cache_read_input_tokens + cache_creation_input_tokens);
    }
  });
});
