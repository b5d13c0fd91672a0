/** Edit-and-approve: the same rules as for the agent, a folder of its own, and both agents are told. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentDesignDir } from '../../src/run/layout.ts';
import { signedIn } from './client.ts';
import { designFiles, RULES } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const EDIT = '/runs/run-1/gates/HITL-1.r1/edit';
const file = (text: string, name = 'business_rules.yaml') => ({ [`file.${name}`]: text });
const FILES = designFiles({});
const whole = (changes: Record<string, string> = {}) => ({
  ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`file.${name}`, text])),
  ...changes,
});
const DAY_40 =
  designFiles({ rules: [RULES[0], { ...RULES[1], text: 'Up to day 40.' }] as typeof RULES })['business_rules.yaml'] ??
  '';

describe('an edit', () => {
  test('is shown as a patch before it is decided, and writes nothing until then', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const page = await client.send(EDIT, { ...whole(file(DAY_40)), do: 'check' });
    expect(page.text).toContain('Your edit is a valid design');
    expect(page.text).toMatch(/<ins>[^<]*40/);
    expect(page.text).toContain('value="approve"');
    expect(await readdir(join(run.dir, 'design'))).toEqual(['r1']);
  });

  test('that is approved stands in a folder of its own, under another digest, beside the untouched original', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const before = await readFile(join(run.dir, 'design/r1/business_rules.yaml'), 'utf8');
    const done = await client.send(EDIT, { ...whole(file(DAY_40)), do: 'approve', comment: 'forty is the law' });
    expect(done.status).toBe(303);
    const state = await desk.state(run);
    const [decision] = state.decisions;
    expect(decision).toMatchObject({ decision: 'edit_approve', actor: 'user:ada', comment: 'forty is the law' });
    expect(state.status === 'executing' && state.designDigest).toBe(decision?.editedDigest);
    expect(decision?.editedDigest).not.toBe(decision?.digest);
    const dir = currentDesignDir(state, 1);
    expect(dir).toMatch(/^design\/r1-edited-[0-9a-f]{12}$/);
    const committed = await run.artifacts.committed(dir, true);
    expect(committed?.digest).toBe(decision?.editedDigest);
    expect(await readFile(join(run.dir, dir, 'business_rules.yaml'), 'utf8')).toContain('Up to day 40.');
    expect(await readFile(join(run.dir, 'design/r1/business_rules.yaml'), 'utf8')).toBe(before);
    expect(await readdir(join(run.dir, 'wip'))).toEqual([]);
    expect(state.reviewerNotes[0]?.comment).toBe(
      `forty is the law\nI edited the design before approving it: ${dir} is what counts, keep my edit.`,
    );
    const shown = await client.get('/runs/run-1/gates/HITL-1.r1');
    expect(shown.text).toContain('ada approved with edits');
    expect(shown.text).toContain('What ada edited');
  });

  test.each([
    ['that is no YAML', file('rules: ['), 'business_rules.yaml:1'],
    [
      'with a rule that stands twice',
      file(
        JSON.stringify({ version: 1, rules: [1, 2].map(() => ({ ...RULES[0], severity: 'must', applies_to: [] })) }),
      ),
      'R1 is there twice',
    ],
    [
      'for a tool that does not exist',
      file((FILES['business_rules.yaml'] ?? '').replaceAll('issue_refund', 'send_money')),
      'send_money',
    ],
    [
      'with a field of its own',
      file(JSON.stringify({ version: 1, rules: [{ ...RULES[0], severity: 'must', approved: true }] })),
      'approved',
    ],
    ['with an empty story', file('', 'unified_scenario_design.md'), 'shorter than 200'],
    ['that changes nothing', {}, 'Nothing is changed'],
    [
      'that changes line ends only',
      file((FILES['business_rules.yaml'] ?? '').replaceAll('\n', '\r\n')),
      'Nothing is changed',
    ],
  ])('%s is refused with its place, and kept in the field', async (_name, change, told) => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const checked = await client.send(EDIT, { ...whole(change), do: 'check' });
    expect(checked.text).toContain(told);
    expect(checked.text).not.toContain('value="approve"');
    const posted = await client.send(EDIT, { ...whole(change), do: 'approve' });
    expect(posted.status).toBe(422);
    expect(posted.text).toContain('Nothing was recorded.');
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    expect(await readdir(join(run.dir, 'design'))).toEqual(['r1']);
    expect(await readdir(join(run.dir, 'wip'))).toEqual([]);
  });

  test('leaves every byte alone that nobody touched, and shows what cannot be seen as marks', async () => {
    const wild = 'Right\u200fto left\u202e, a\fform feed, \u2060a joiner, \ue000 and a mark ⟦U+200F⟧.';
    const run = await desk.waiting('run-1', [
      { narrative: `${wild}\n${'The desk pays or refuses. '.repeat(12)}   \n\n` },
    ]);
    const client = await signedIn(desk.review());
    const page = (await client.get(EDIT)).text;
    const field = (name: string) =>
      new RegExp(`name="file\\.${name}"[^>]*>\\n([^]*?)</textarea>`).exec(page)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const shown = Object.fromEntries(Object.keys(FILES).map((name) => [`file.${name}`, field(name)]));
    expect(shown['file.unified_scenario_design.md']).toContain('Right⟦U+200F⟧to left⟦U+202E⟧, a⟦U+000C⟧form feed');
    const edited = shown['file.unified_scenario_design.md']
      ?.replace('form feed', 'page break')
      .replaceAll('\n', '\r\n');
    const sent = { ...shown, 'file.unified_scenario_design.md': edited ?? '', do: 'approve' };
    expect((await client.send(EDIT, sent)).status).toBe(303);
    const dir = join(run.dir, currentDesignDir(await desk.state(run), 1));
    const before = await readFile(join(run.dir, 'design/r1/unified_scenario_design.md'), 'utf8');
    expect(before).toContain(wild);
    expect(await readFile(join(dir, 'unified_scenario_design.md'), 'utf8')).toBe(
      before.replace('form feed', 'page break'),
    );
    for (const name of ['business_rules.yaml', 'format_spec.yaml'])
      expect(await readFile(join(dir, name), 'utf8')).toBe(await readFile(join(run.dir, 'design/r1', name), 'utf8'));
  });

  test('of a design that changed meanwhile is refused: a first edit makes the second one stale', async () => {
    const run = await desk.waiting('run-1', [{}], 2);
    const client = await signedIn(desk.review());
    const [, old = ''] = /name="digest" value="([^"]+)"/.exec((await client.get(EDIT)).text) ?? [];
    expect((await client.send(EDIT, { ...whole(file(DAY_40)), do: 'approve' })).status).toBe(303);
    const bob = await signedIn(desk.review({ local: { name: 'bob', token: 'z'.repeat(30) } }), 'z'.repeat(30));
    const stale = await bob.send(EDIT, { ...whole(), do: 'approve', digest: old });
    expect(stale.text).toContain('The design changed while you were reading');
    const page = (await bob.get('/runs/run-1/gates/HITL-1.r1')).text;
    expect(page).toContain('ada edited this design. You decide on the edited one.');
    await bob.send('/runs/run-1/gates/HITL-1.r1', { decision: 'approve' });
    const state = await desk.state(run);
    expect(state.status).toBe('executing');
    expect(state.status === 'executing' && state.designDigest).toBe(state.decisions[0]?.editedDigest);
  });

  test('made through the API is the same edit', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const digest = (await desk.state(run)).designs[0]?.digest ?? '';
    const body = { digest, decision: 'edit_approve', nonce: 'nonce-of-api', edits: { 'business_rules.yaml': DAY_40 } };
    const { status, json } = await client.api('/api/gates/run-1.HITL-1.r1/decision', body);
    expect([status, json['via']]).toEqual([200, 'api']);
    const again = await client.api('/api/gates/run-1.HITL-1.r1/decision', body);
    expect(again.json).toEqual(json);
    expect((await desk.state(run)).decisions).toHaveLength(1);
    const bad = { ...body, nonce: 'another-one', edits: { 'business_rules.yaml': 'rules: [' } };
    const refused = await client.api('/api/gates/run-1.HITL-1.r1/decision', bad);
    expect(refused.status).toBe(409);
  });
});
