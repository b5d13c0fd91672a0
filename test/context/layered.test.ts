/** The mechanisms of the layered design (S1): compression by tool, whole turns, archives, layers beside the conversation. */
import { describe, expect, test } from 'vitest';
import {
  acceptSummary,
  findFault,
  layerEntry,
  planCompaction,
  recapEntry,
  shouldCompact,
  view,
} from '../../src/context/index.ts';
import type { Core } from '../../src/context/index.ts';
import { compressInput, compressResult, ruleFor } from '../../src/context/passes/compress-result.ts';
import { toolResultsIn } from '../../src/context/passes/cut-draft.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { getText } from '../../src/transcript/message.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { answerFor, compactBy, faultOf, shippedPolicy, smallCore } from '../support/policies.ts';
import { createLog } from '../support/transcripts.ts';
import type { Call, Log } from '../support/transcripts.ts';

const policy = shippedPolicy('layered');
const raise = (): never => {
  throw new Error('expected an entry');
};
const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, n) => `${word} ${n}: some text`).join('\n');

function compressed(call: Call): string | undefined {
  const log = createLog();
  log.user('go');
  log.step([call]);
  const [result] = splitSteps(log.entries.filter((entry) => entry.type === 'message')).flatMap(toolResultsIn);
  return result && compressResult(result, policy, 'recall e3');
}
const kept = (text: string | undefined) => text?.split('\n').filter((line) => /^line \d+:/.test(line)).length;

describe('compression by tool (S1.4)', () => {
  test.each([
    ['LS', 300, 40],
    ['glob', 300, 10],
    ['Grep', 300, 5],
  ])('%s of %i lines keeps the first %i', (tool, count, left) => {
    const text = compressed({ tool, result: lines(count) });
    expect(kept(text)).toBeLessThanOrEqual(left);
    expect(text).toMatch(/^line 0:/);
    expect(text).toContain('recall e3');
  });

  test('Read keeps 500 lines with their numbers, counted from where the read began; a shorter one stays as it is', () => {
    const text = compressed({ tool: 'read', input: { file_path: 'a', view_range: [101, 1000] }, result: lines(900) });
    const left = text?.split('\n') ?? [];
    expect(left.slice(0, 2)).toEqual(['101\tline 0: some text', '102\tline 1: some text']);
    expect(left[499]).toBe('600\tline 499: some text');
    expect(left[500]).toBe('[... 400 lines more ...]');
    expect(text).toContain('recall e3');
    expect(compressed({ tool: 'Read', result: lines(500) })).toBeUndefined();
    // No other limit cuts within the 500: only a view that does not fit shortens it.
    expect(
      compressed({ tool: 'Read', result: lines(499, 'a line with some more words than others have') }),
    ).toBeUndefined();
    const own = Array.from({ length: 600 }, (_, n) => `${n + 7}→const x = ${n};`).join('\n');
    expect(compressed({ tool: 'Read', result: own })).toMatch(/^7→const/);
  });

  test('Bash keeps the first lines, those that speak of errors, and the last 20; a failure stays whole', () => {
    const text = compressed({
      tool: 'Bash',
      result: `FATAL: no disk\n${lines(300)}\nError at 7\n${lines(300)}\nthe end`,
    });
    expect(text).toMatch(/^FATAL: no disk\nline 0:[\s\S]*lines more[\s\S]*Error at 7[\s\S]*line 299:[^\n]*\nthe end/);
    expect(kept(text)).toBe(4 + 19);
    expect(compressed({ tool: 'bash', result: lines(60, 'trace'), error: true })).toBeUndefined();
    const streams = { stdout: lines(200), stderr: `FATAL: no disk\n${lines(200)}` };
    const report = compressed({ tool: 'Bash', result: JSON.stringify({ status: 'error', data: streams }) }) ?? '';
    const { data } = JSON.parse(report.split('\n')[0] ?? '') as { data: typeof streams };
    expect(kept(data.stdout)).toBe(5);
    expect(data.stderr).toMatch(/^FATAL: no disk\n[\s\S]*line 199: some text$/);
    expect(kept(data.stderr)).toBe(4 + 20);
  });

  test('Edit, MultiEdit and Write keep the head of what was written; the file has the rest', () => {
    const call = (name: string, input: Record<string, unknown>) => ({
      type: 'tool_use' as const,
      id: 't',
      name,
      input,
    });
    const write = compressInput(call('Write', { file_path: 'a.ts', content: lines(400) }), policy, 'recall e2');
    expect(write?.['file_path']).toBe('a.ts');
    expect(String(write?.['content']).split('\n')).toHaveLength(51);
    expect(write?.['content']).toMatch(/350 lines more: recall e2/);
    const edits = [{ old_string: lines(90), new_string: lines(60) }];
    const multi = compressInput(call('multi_edit', { file_path: 'a.ts', edits }), policy, 'recall e2');
    expect(JSON.stringify(multi)).toContain('70 lines more');
    expect(compressInput(call('read', { file_path: 'a.ts' }), policy, 'x')).toBeUndefined();
    expect(compressInput(call('Write', { file_path: 'a', content: 'short' }), policy, 'x')).toBeUndefined();
  });

  test('TodoWrite leaves a recap: each item with its state in a line; the list in full is in the recap of the view', () => {
    const todos = Array.from({ length: 9 }, (_, n) => ({
      id: `${n}`,
      text: `todo ${n} of many words`,
      status: 'done',
    }));
    const call = { tool: 'todo_write', input: { todos }, result: JSON.stringify(todos) };
    expect(compressed(call)).toMatch(/^9 todos;.*recap/);
    const input = compressInput(
      { type: 'tool_use', id: 't', name: 'todo_write', input: { todos } },
      policy,
      'recall e2',
    );
    expect(input?.['todos']).toEqual(todos.map(({ text }) => `[done] ${text}`));
  });

  test('an unknown tool keeps head and tail (S1.6), and names count without case and dashes', () => {
    const text = compressed({ tool: 'my_own_tool', result: lines(400) });
    expect(text).toMatch(/^line 0:[\s\S]*300 lines more[\s\S]*line 399:/);
    expect(ruleFor('multi-edit', policy)?.form).toBe('edit');
    expect(ruleFor('anything', { ...policy, results: { ...policy.results, rules: [] } })).toBeUndefined();
  });

  test('a report keeps status, data, and of an error code and message; text, stats and context go (S1.5)', () => {
    const report = {
      status: 'partial',
      data: { files: ['a', 'b'] },
      text: 'said again '.repeat(300),
      stats: { ms: 4 },
      context: { cwd: '/x' },
    };
    const text = compressed({ tool: 'search', result: JSON.stringify(report) }) ?? '';
    for (const word of ['partial', '"a"', '"b"']) expect(text).toContain(word);
    for (const word of ['said again', 'stats', 'cwd']) expect(text).not.toContain(word);
    const failed = { ...report, status: 'error', error: { code: 'E1', message: 'no such file', stack: 'at x' } };
    expect(compressed({ tool: 'search', result: JSON.stringify(failed) })).toMatch(/"code":"E1"[\s\S]*"no such file"/);
  });

  test('nothing becomes longer, and no half of a character is left', () => {
    expect(compressed({ tool: 'grep', result: 'one\ntwo' })).toBeUndefined();
    expect(compressed({ tool: 'grep', result: `${'🙂'.repeat(3000)}\n`.repeat(8) })?.isWellFormed()).toBe(true);
  });
});

/** Turns of a person, each with one call and an answer. */
function turns(count: number, words = 300): Log {
  const log = createLog();
  for (let n = 0; n < count; n += 1) {
    log.human(`question ${n}`);
    log.step([{ tool: 'grep', input: { pattern: `p${n}` }, result: lines(words / 3) }]);
    log.says(`Answer ${n}.`);
  }
  return log;
}

/** Compacts by a summary, whatever edits alone would do. */
function archive(log: Log, core: Core): Entry {
  const plan = planCompaction(log.entries, core, { reason: 'manual', edits: false });
  if (plan.type !== 'cut') throw new Error(plan.type);
  const made = acceptSummary(log.entries, core, plan, answerFor(core, ['chose zod [#e3]']));
  if (!made.ok) throw new Error(`${made.cause}: ${made.detail}`);
  return log.append(made.entry);
}

describe('the history (S1.3, S1.7, S1.8)', () => {
  const core = smallCore('layered', { keep: { maxTokens: 12_000 } }, { model: { systemMessages: true } });

  test('results of finished turns shrink at a rewrite, those of the running turn stay whole', () => {
    const log = turns(20);
    log.human('and now?');
    log.step([{ tool: 'grep', id: 'running', result: lines(100) }]);
    const { plan } = compactBy(log, core, undefined);
    expect(plan).toMatchObject({ type: 'cut', by: 'code', coversThrough: '' });
    const shown = JSON.stringify(view(log.entries).messages);
    expect(shown).toContain('line 99: some text');
    expect(shown.match(/lines more/g)?.length).toBeGreaterThan(15);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('at least ten whole turns stay, and the cut falls where a turn begins', () => {
    const log = turns(40, 30);
    for (let n = 0; n < 3; n += 1) log.says('wordy '.repeat(900));
    log.human('go on');
    const plan = planCompaction(log.entries, core, { reason: 'manual', edits: false });
    if (plan.type !== 'cut') throw new Error(plan.type);
    const first = log.entries.find(({ id }) => id === plan.keepsFrom);
    expect(first).toMatchObject({ origin: 'human' });
    const after = log.entries.slice(log.entries.findIndex(({ id }) => id === plan.keepsFrom));
    expect(after.filter((entry) => entry.type === 'message' && entry.origin === 'human')).toHaveLength(10);
  });

  test('a single turn that is larger than the target is cut inside, at a step', () => {
    const log = createLog();
    log.human('one long task');
    for (let n = 0; n < 40; n += 1) log.step([{ tool: 'unheard', result: 'w '.repeat(600) }]);
    const { plan, accepted } = compactBy(log, core, ['x [#e1]']);
    expect(accepted).toMatchObject({ ok: true });
    expect(plan).toMatchObject({ by: 'model' });
    expect(plan.type === 'cut' && plan.stepsKept).toBeGreaterThan(0);
  });

  test('the archive is a system section from the fixed template, with where it begins and ends (S1.9)', () => {
    const log = turns(40, 900);
    for (const [n, entry] of log.entries.entries()) entry.at = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
    expect(archive(log, core)).toMatchObject({ place: 'system' });
    const section = view(log.entries).messages.find(({ role }) => role === 'system');
    const text = getText(section ?? { content: [] });
    expect(text).toMatch(
      /Archived Session Summary\n\*\(Contains context from 2026-01-01T00:00:00\.000Z to 2026-01-01T0/,
    );
    expect(text).toMatch(/Objectives & Status[\s\S]*Completed Milestones[\s\S]*File System State/);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('archives that become one begin where the oldest of them began (S1.9)', () => {
    const log = turns(40, 900);
    const spans = () =>
      [...JSON.stringify(view(log.entries).messages).matchAll(/Contains context from (\S+) to /g)].map(
        ([, start]) => start,
      );
    const more = () => {
      for (let n = 0; n < 25; n += 1) {
        log.human(`more ${n}`);
        log.says('wordy '.repeat(300));
      }
    };
    archive(log, core);
    more();
    archive(log, core);
    const [oldest, ...later] = spans();
    expect(later).toHaveLength(1);
    more();
    archive(log, { ...core, policy: { ...core.policy, summary: { ...core.policy.summary, archive: 1000 } } });
    expect(spans()).toEqual([oldest]);
  });

  test('where the model takes no system message the archive stands with the user', () => {
    const log = turns(40, 900);
    archive(log, smallCore('layered', { keep: { maxTokens: 12_000 } }));
    const { messages } = view(log.entries);
    expect(messages.some(({ role }) => role === 'system')).toBe(false);
    expect(getText(messages[0] ?? { content: [] })).toContain('<archived_session>');
  });

  test('fewer than three messages are never compacted, however large; above 0.8 of the window they are (S1.10, S1.15)', () => {
    const log = createLog();
    log.human('word '.repeat(40_000));
    expect(shouldCompact(log.entries, core).due).toBe(false);
    log.says('Yes.');
    log.human('word '.repeat(20));
    expect(shouldCompact(log.entries, core).due).toBe(true);
    const shipped = { ...core, policy, budget: { window: 200_000, maxOutput: 16_000, floor: 0 } };
    expect(shouldCompact([], shipped).trigger).toBe(160_000);
  });
});

describe('layers beside the conversation (S1.1, S1.2)', () => {
  const core = smallCore('layered');
  const law = (text: string) => ({ law: { file: 'CODE_LAW.md', text } });

  test('the law stands in the system prompt, never in the history; it is written once', () => {
    const log = createLog();
    log.human('go');
    const entry = layerEntry(log.entries, core, law('Tabs, not spaces. </project_rules>'));
    if (entry === undefined) throw new Error('no entry');
    log.append(entry);
    const { system, messages } = view(log.entries);
    expect(system.join()).toContain('Tabs, not spaces.');
    expect(JSON.stringify(messages)).not.toContain('Tabs');
    expect(layerEntry(log.entries, core, law('Tabs, not spaces. </project_rules>'))).toBeUndefined();
  });

  test('a change begins a new epoch: the thinking before it goes, and the open loop is closed', () => {
    const log = createLog();
    log.human('go');
    log.append(layerEntry(log.entries, core, law('one')) ?? raise());
    log.step([{ result: 'r' }], { think: 'hm', usage: 900 });
    const before = view(log.entries);
    log.append(layerEntry(log.entries, core, law('two')) ?? raise());
    const after = view(log.entries);
    expect(after.epoch).not.toBe(before.epoch);
    expect(after.system.join()).toContain('two');
    expect(JSON.stringify(after.messages)).not.toContain('signature');
    expect(getText(after.messages.at(-1) ?? { content: [] })).toContain('compaction_note');
    expect(shouldCompact(log.entries, core).source).toBe('estimate');
    expect(faultOf(log.entries)).toBeUndefined();
    log.append(layerEntry(log.entries, core, { law: undefined }) ?? raise());
    expect(view(log.entries).system).toEqual([]);
  });

  test('a long law is cut at its cap, and says so; it counts as part of the floor', () => {
    const log = createLog();
    log.human('go');
    const small = shouldCompact(log.entries, core).floor;
    log.append(layerEntry(log.entries, core, law('rule '.repeat(20_000))) ?? raise());
    expect(view(log.entries).system.join()).toMatch(/chars more in the file/);
    expect(shouldCompact(log.entries, core).floor).toBeGreaterThan(small + 6000);
  });

  const planned = () => {
    const log = createLog();
    log.human('go');
    expect(recapEntry(log.entries, core)).toBeUndefined();
    log.step([{ tool: 'todo_write', input: { todos: [{ text: 'write it', status: 'pending' }] }, result: 'ok' }]);
    return log;
  };
  const recaps = (log: ReturnType<typeof createLog>) =>
    view(log.entries).messages.filter((message) => getText(message).includes('<todo_recap>'));

  test('the todo recap is the last message of every call, and an old one is in none (S1.1)', () => {
    const log = planned();
    for (let call = 0; call < 3; call += 1) {
      log.append(recapEntry(log.entries, core) ?? raise());
      expect(recapEntry(log.entries, core)).toBeUndefined();
      expect(view(log.entries).messages.at(-1)).toEqual(recaps(log)[0]);
      expect(recaps(log)).toHaveLength(1);
      log.step([{ result: 'r' }]);
      expect(recaps(log)).toHaveLength(0);
    }
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('where thinking is bound too, and the thinking that was made beside a recap leaves with it (S1.1)', () => {
    const bound = { ...core, model: { ...core.model, boundThinking: true } };
    const rules = { boundThinking: true, prefill: false };
    const log = planned();
    const thinks = (text: string) =>
      view(log.entries).messages.some(({ content }) =>
        content.some((block) => block.type === 'thinking' && block.thinking === text),
      );
    for (let call = 0; call < 3; call += 1) {
      log.append(recapEntry(log.entries, bound) ?? raise());
      expect(recapEntry(log.entries, bound)).toBeUndefined();
      const shown = view(log.entries);
      expect(recaps(log)).toEqual([shown.messages.at(-1)]);
      expect(findFault(shown.messages, { ...rules, rewrittenThrough: shown.rewrittenThrough })).toBeUndefined();
      log.step([{ result: 'r' }], { think: `thought ${call}` });
      expect(recaps(log)).toHaveLength(0);
      expect(thinks(`thought ${call}`)).toBe(false);
    }
    log.step([{ result: 'r' }], { think: 'without a recap' });
    expect(thinks('without a recap')).toBe(true);
    for (let n = 0; n < 40; n += 1) log.step([{ tool: 'unheard', result: 'w '.repeat(600) }]);
    compactBy(log, bound, ['x [#e1]'], 'window');
    expect(log.entries.at(-1)?.type).toBe('compaction');
    log.append(recapEntry(log.entries, bound) ?? raise());
    expect(recaps(log)).toEqual([view(log.entries).messages.at(-1)]);
    expect(recapEntry(log.entries, bound)).toBeUndefined();
  });
});
