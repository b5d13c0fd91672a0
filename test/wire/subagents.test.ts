/** Sub-agents as they are sent: prompt, model and tools of their own, beside each other, and partial where they are stopped. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openWire, resultsOf, textsOf, type Sent, type Step, type WireSetup } from '../support/wire.ts';

const SUBAGENT = { tools: ['read', 'glob'], max_loops: 12, model: 'claude-haiku-4-5' };
const LONG = 'Count the files, kind by kind.';
const SHORT = 'Find the fee for a late book.';
const glob = (pattern: string, say: string): Step => ({ say, calls: [{ tool: 'glob', input: { pattern } }] });

const asks: WireSetup = {
  define: {
    init: ({ tools, ...shipped }) => ({
      ...{ ...shipped, tools: [...(tools as string[]), 'call_subagent'], subagent: SUBAGENT },
    }),
  },
  init: [
    {
      calls: [
        { tool: 'call_subagent', input: { task: LONG, max_loops: 12 } },
        { tool: 'call_subagent', input: { task: SHORT, max_loops: 2 } },
      ],
    },
  ],
  turns: {
    subagent: [
      {
        ...{ name: 'long', marker: LONG },
        steps: [
          ...Array.from({ length: 11 }, (_, n) => glob(`**/*.${n}`, `Kind ${n} is looked for.`)),
          { say: 'None of the kinds is there.' },
        ],
      },
      {
        ...{ name: 'short', marker: SHORT },
        steps: [
          glob('**/lending.md', 'It must be in policies/lending.md.'),
          glob('**/fees.md', 'There is no other file.'),
        ],
      },
    ],
  },
};

const tasked = (sent: readonly Sent[], task: string) => sent.filter((one) => textsOf(one).includes(task));
const sees = (one: Sent | undefined, words: string) => one !== undefined && one.raw.includes(words);

test('a sub-agent has its own prompt, model and tools; several of one answer work at the same time (S3.5, S3.11, S2.7)', async () => {
  const wire = await openWire(asks);
  const run = await wire.run();
  expect(run).toMatchObject({ code: 0 });
  const sent = wire.sent('subagent');
  const own = (await readFile('agents/subagent/system_prompt.md', 'utf8')).trim();
  for (const { system, tools, model, raw } of sent) {
    expect(system.join().trim()).toBe(own);
    expect({ tools, model }).toEqual({ tools: ['read', 'glob'], model: 'claude-haiku-4-5' });
    for (const words of ['You are Init', 'submit_design', '<sub_agents>', 'scenario_brief'])
      expect(raw).not.toContain(words);
  }
  const [long, short] = [tasked(sent, LONG), tasked(sent, SHORT)];
  expect([long.length, short.length]).toEqual([12, 2]);
  expect(sent.indexOf(short[0]!)).toBeLessThan(sent.indexOf(long[1]!));
  expect(sent.some((one) => sees(one, LONG) && sees(one, SHORT))).toBe(false);

  // S2.7: what is left is read by one call and by none after it.
  const left = (n: number) => long.map((one) => sees(one, `number ${13 - n} of at most 12`));
  expect(left(5)).toEqual(long.map((_, place) => place === 7));
  expect(left(1)).toEqual(long.map((_, place) => place === 11));
  expect(short.map((one) => sees(one, 'number 2 of at most 2'))).toEqual([false, true]);

  const after = wire.sent('init')[1];
  const [whole, stopped] = resultsOf(after!, 'call_subagent').map(
    (text) => JSON.parse(text) as Record<string, unknown>,
  );
  expect(whole).toMatchObject({ ok: true, partial: true, result: 'None of the kinds is there.', loops: 12 });
  expect(stopped).toMatchObject({
    ...{ ok: false, partial: true, loops: 2, why: expect.stringContaining('max_loops') as string },
    result: 'It must be in policies/lending.md.\n\nThere is no other file.',
  });

  // S3.1: as it was, whatever the agent's file says by now.
  const path = join(wire.project, 'agents/init/agent.yaml');
  const { subagent: _gone, tools, ...rest } = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, stringify({ ...rest, tools: (tools as string[]).filter((name) => name !== 'call_subagent') }));
  const shown = await wire.tandem(['sessions', 'show', `${run.id}/init/${String(stopped?.['context_id'])}`, '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject([
    {
      model: expect.stringMatching(/^claude-haiku-4-5/) as string,
      allowedTools: ['glob', 'read'],
      maxLoops: 2,
      loops: 2,
      parentContext: 'main',
    },
  ]);
  expect(await wire.tandem(['verify', run.id])).toMatchObject({ code: 0 });
});

test('its agent reads what sub-agents are for and what they have, in the header that no compaction touches (S2.1, S2.5)', async () => {
  const wire = await openWire(asks);
  expect(await wire.run('--on-gate', 'exit')).toMatchObject({ code: expect.any(Number) as number });
  const sent = wire.sent('init');
  expect(sent.length).toBeGreaterThan(2);
  for (const { system } of sent) {
    expect(system[1]).toMatch(
      /^<sub_agents>[\s\S]*It has: read, glob\. It gives at most 12 answers;[\s\S]*<\/sub_agents>$/,
    );
    expect(system).toHaveLength(2);
  }
});

test('killed while two work at the same time: each goes on where it was, and nothing is paid twice (S3.5)', async () => {
  const wire = await openWire(asks);
  const held = Promise.withResolvers<undefined>();
  wire.meddle(({ path, body }) => {
    const texts = JSON.stringify(body.messages ?? []);
    if (!/^\/v1\/messages(\?|$)/.test(path) || !texts.includes('Kind 5 is looked for')) return undefined;
    held.resolve(undefined);
    return () => undefined;
  });
  const running = wire.start(['run', 'desk', '--profile', 'wire', '--json', '--on-gate', 'exit']);
  await held.promise;
  running.kill('SIGKILL');
  await running.done;
  wire.meddle(() => undefined);
  const before = wire.sent('subagent').length;
  const [id = ''] = await readdir(join(wire.project, 'scenarios/desk/runs'));
  const resumed = await wire.tandem(['resume', id, '--profile', 'wire', '--json', '--on-gate', 'exit']);
  expect(resumed.stderr).toContain('HITL-1');
  const sent = wire.sent('subagent').map(({ raw }) => raw);
  const twice = sent.filter((raw, place) => sent.indexOf(raw) < place);
  // The one in flight is asked again, word for word; the others were paid and are remembered.
  expect(twice).toEqual([sent[before]]);
  expect(sent.length - before).toBe(12 - 6);
  const stored = await readFile(join(wire.project, 'scenarios/desk/runs', id, 'transcripts/init.jsonl'), 'utf8');
  const entries = stored
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; lane: string });
  expect(new Set(entries.map(({ id: one }) => one)).size).toBe(entries.length);
  expect(new Set(entries.map(({ lane }) => lane)).size).toBe(3);
});
