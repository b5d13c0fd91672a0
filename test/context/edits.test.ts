/** What edits leave standing, what is asked for besides, and how little they say twice. */
import { describe, expect, test } from 'vitest';
import { latestCompaction, planCompaction, summaryRequest, view } from '../../src/context/index.ts';
import { compressResult } from '../../src/context/passes/compress-result.ts';
import { toolResultsIn } from '../../src/context/passes/cut-draft.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { getText } from '../../src/transcript/message.ts';
import { compactBy, shippedPolicy, smallCore } from '../support/policies.ts';
import { createLog, type Log } from '../support/transcripts.ts';

const head = (log: Log) => getText(view(log.entries).messages[0] ?? { content: [] });

const CLEAR = { pass: 'clear-results' as const, protectTurns: 1, keep: 0 };

/** A line of passes that cuts, whatever the policy's own would do first. */
function summarising(name: string) {
  const passes = name === 'native' ? ['cut-before-answer'] : [{ pass: 'keep-latest-turns', turns: 2 }];
  return { passes, ...(name === 'layered' ? { summary: { archive: 9000 } } : {}) };
}

function turns(count: number, words: number): Log {
  const log = createLog();
  for (let n = 0; n < count; n += 1) {
    log.human(`question ${n}`);
    log.step([{ input: { file_path: `f${n}.ts` }, result: `result ${n} `.repeat(words) }]);
    log.says(`answer ${n}`);
  }
  log.human('and now?');
  return log;
}

describe('an edit behind a summary', () => {
  test('keeps the summary and carries the facts of today, not those of then', () => {
    const log = turns(12, 200);
    const core = smallCore('budgeted');
    const summarised = smallCore('budgeted', { passes: [{ pass: 'keep-latest-turns', turns: 2 }] });
    expect(compactBy(log, summarised, ['fact one [#e1]']).accepted?.ok).toBe(true);
    log.step([{ tool: 'write', input: { file_path: 'new.md', content: 'x' }, result: 'wrote it' }]);
    for (let n = 0; n < 8; n += 1) {
      log.human(`more ${n}`);
      log.step([{ result: `later ${n} `.repeat(700) }]);
      log.says('done');
    }
    log.human('last');
    const { plan, accepted } = compactBy(log, core, undefined);
    expect(plan).toMatchObject({ by: 'code', coversThrough: '', named: [] });
    expect(accepted).toMatchObject({ ok: true });
    const shown = view(log.entries).messages.map(getText).join('\n');
    expect(shown).toContain('fact one');
    expect(head(log)).toContain('new.md: wrote');
  });

  test.each(['budgeted', 'layered', 'native', 'two-agent'] as const)(
    '%s: summary, place, archives and block stand as they stood',
    (name) => {
      const core = smallCore(name, { summary: { ...(name === 'layered' ? { archive: 9000 } : {}) } });
      const log = turns(14, 200);
      const more = () => {
        for (let n = 0; n < 14; n += 1) {
          log.human(`more ${n}`);
          log.step([{ result: `later ${n} `.repeat(260) }]);
          log.says('done');
        }
        log.human('and now?');
      };
      for (const round of [1, 2]) {
        const lines = [`fact ${round} [#e1]`];
        expect(compactBy(log, smallCore(name, summarising(name)), lines).accepted?.ok).toBe(true);
        more();
      }
      const before = latestCompaction(log.entries);
      const editing = { ...core, policy: { ...core.policy, passes: [CLEAR] } };
      const { plan, accepted } = compactBy(log, editing, undefined);
      expect(plan).toMatchObject({ by: 'code', coversThrough: '', named: [] });
      const after = accepted?.ok === true ? accepted.entry : undefined;
      expect(after?.summary).toBe(before?.summary);
      expect([after?.place, after?.archives, after?.block]).toEqual([before?.place, before?.archives, before?.block]);
      if (name === 'layered') expect(after?.archives).toHaveLength(1);
      if (name === 'native') expect(after?.block?.type).toBe('compaction');
      expect(JSON.stringify(view(log.entries).messages)).toContain('fact 2');
    },
  );

  test('says nothing of what stands in the view as itself', () => {
    const log = turns(16, 250);
    log.human('<init_to_execute_context execution_output_dir="out/i1">the task</init_to_execute_context>');
    log.human('a wish that came after it');
    const { plan } = compactBy(log, smallCore('selective', { trigger: { tokens: 14_000 }, target: { ratio: 0.8 } }), [
      'x [#e1]',
    ]);
    expect(plan).toMatchObject({ coversThrough: '' });
    const texts = view(log.entries).messages.map(getText);
    for (const said of ['the task', 'a wish that came after it'])
      expect(texts.filter((text) => text.includes(said))).toHaveLength(1);
  });
});

describe('archives (S1.7)', () => {
  const merge = (log: Log, core: ReturnType<typeof smallCore>) => {
    const plan = planCompaction(log.entries, core, { reason: 'threshold' });
    if (plan.type !== 'cut') throw new Error(plan.type);
    const asked = summaryRequest(log.entries, core, { ...plan, by: 'model' });
    return getText(asked?.messages.at(-1) ?? { content: [] }).includes('no more room for archives');
  };
  const more = (log: Log) => {
    for (let n = 0; n < 12; n += 1) {
      log.human(`more ${n}`);
      log.step([{ result: `later ${n} `.repeat(200) }]);
      log.says('done');
    }
  };
  const cut = { passes: [{ pass: 'keep-latest-turns', turns: 2 }] };

  test('are asked to be merged only where they stand and have no more room', () => {
    const roomy = smallCore('layered', cut);
    const full = smallCore('layered', { ...cut, summary: { archive: 1600 } });
    const log = turns(12, 200);
    expect([merge(log, roomy), merge(log, full)]).toEqual([false, false]);
    compactBy(log, roomy, ['fact one [#e1]']);
    more(log);
    expect([merge(log, roomy), merge(log, full)]).toEqual([false, true]);
  });

  test('a policy without archives never speaks of them', () => {
    const log = turns(12, 200);
    const two = smallCore('two-agent');
    compactBy(log, smallCore('two-agent', { trigger: { tokens: 8000 } }), ['fact one [#e1]']);
    more(log);
    const prompts = { ...two.prompts, merge: 'no more room for archives' };
    expect(merge(log, { ...two, prompts })).toBe(false);
  });
});

describe('results by tool (S1.4)', () => {
  const policy = shippedPolicy('layered');
  const shrunk = (tool: string, lines: number, error = false) => {
    const log = createLog();
    log.human('go');
    const result = Array.from({ length: lines }, (_, n) => `line ${n + 1}`).join('\n');
    log.step([{ tool, result, error }]);
    const [found] = splitSteps(log.entries).flatMap((unit) => toolResultsIn(unit));
    return found && compressResult(found, policy, 'recall e3');
  };

  test.each([
    ['Bash', 20],
    ['Grep', 5],
    ['Glob', 10],
    ['LS', 40],
    ['Read', 500],
    ['anything', 100],
  ])('%s: %i lines stay as they are', (tool, lines) => {
    expect(shrunk(tool, lines)).toBeUndefined();
  });

  test('Bash keeps its first and its last lines and says how many are gone', () => {
    const lines = shrunk('Bash', 60)?.split('\n') ?? [];
    expect([lines[0], lines[4], lines[5], lines[6]]).toEqual([
      'line 1',
      'line 5',
      '[... 35 lines more ...]',
      'line 41',
    ]);
    expect(lines.at(-2)).toBe('line 60');
    expect(lines.at(-1)).toBe('[compressed; recall e3]');
  });

  test('Grep keeps its first lines, an unknown tool head and tail', () => {
    expect(shrunk('Grep', 60)?.split('\n').slice(4, 6)).toEqual(['line 5', '[... 55 lines more ...]']);
    const lines = shrunk('anything', 160)?.split('\n') ?? [];
    expect([lines[49], lines[50], lines[51], lines[100]]).toEqual([
      'line 50',
      '[... 60 lines more ...]',
      'line 111',
      'line 160',
    ]);
  });

  test('an error stays whole (S1.5)', () => {
    expect(shrunk('Bash', 60, true)).toBeUndefined();
  });
});
