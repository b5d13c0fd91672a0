/** What a reviewer writes and has not sent: theirs alone, there after a restart, and never lost without a word. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { chatMounts } from '../../src/pipeline/chat/mentioned-files.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { signedIn, stranger, type Client, type Page } from './client.ts';
import { RULES } from './desk.ts';
import { useDesk } from './use-desk.ts';

const GATE = '/runs/run-1/gates/HITL-1.r2';
const NEXT = '/runs/run-1/gates/HITL-1.r3';
const QUESTION = 'Are gift cards goods?';
const TOKEN_OF_BOB = 'another-token-of-thirty-characters';

const desk = useDesk();
let run: RunFolder;
let client: Client;
beforeEach(async () => {
  run = await desk.waiting('run-1', [{}, { rules: RULES, questions: [QUESTION] }]);
  client = await signedIn(desk.review());
});

/** What the page sends by itself while somebody writes. */
const write = (fields: Record<string, string>, by = client, gate = GATE): Promise<Page> =>
  by.send(`${gate}/draft`, fields, { from: gate });
/** Empty where the page has no such field, as it has none for a rule that did not change. */
const fieldIn = (text: string, name: string) =>
  new RegExp(`<textarea[^>]*name="${name.replaceAll('.', '\\.')}"[^>]*>\\n([^<]*)<`).exec(text)?.[1] ?? '';
const asBob = () => {
  const tokenSha256 = createHash('sha256').update(TOKEN_OF_BOB).digest('hex');
  const listed = [{ name: 'ada' }, { name: 'bob', token_sha256: tokenSha256 }];
  return desk.review({ reviewers: { reviewers: listed } });
};
const digest = async () => (await desk.state(run)).designs.at(-1)?.digest ?? '';
const draftFiles = () => readdir(join(run.dir, 'drafts')).catch(() => []);

describe('what is written', () => {
  test('stands in its fields again after the page is loaded again, and after the server was started again', async () => {
    const fields = { comment: 'My <b>notes</b>', 'on.R1': 'which postcode?', q1: 'no', 'q1.more': 'they are money' };
    expect((await write(fields)).status).toBe(204);
    for (const by of [client, await signedIn(desk.review())]) {
      const { text } = await by.get(GATE);
      expect(['comment', 'on.R1', 'q1.more'].map((name) => fieldIn(text, name))).toEqual([
        'My &lt;b&gt;notes&lt;/b&gt;',
        'which postcode?',
        'they are money',
      ]);
      expect(text).toMatch(/name="q1" value="no" checked/);
    }
  });

  test('changes field by field: one tab takes nothing away from another, an empty text takes its own away', async () => {
    await write({ comment: 'notes', 'on.R1': 'one' });
    await write({ 'on.R2': 'two' });
    await write({ 'on.R1': '' });
    const { text } = await client.get(GATE);
    expect(['comment', 'on.R1', 'on.R2'].map((name) => fieldIn(text, name))).toEqual(['notes', '', 'two']);
    await Promise.all(Array.from({ length: 20 }, (_, at) => write({ [`on.R2 "word ${at}"`]: `text ${at}` })));
    const all = (await client.get(GATE)).text;
    for (let at = 0; at < 20; at += 1) expect(all).toContain(`text ${at}`);
  });

  test('goes with the answer and is gone then, whatever comes late', async () => {
    await write({ comment: 'notes', 'on.R1': 'one' });
    const page = await client.get(GATE);
    await client.send(GATE, { decision: 'request_changes', 'on.R1': 'one', comment: 'notes' });
    expect(await draftFiles()).toEqual([]);
    const form = /name="form" value="([^"]+)"[^>]*\/>\s*<input type="hidden" name="nonce"/.exec(page.text)?.[1] ?? '';
    const late = await write({ form, digest: await digest(), comment: 'late' });
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('answered this gate already')]);
    expect(await draftFiles()).toEqual([]);
    expect((await client.get(GATE)).text).not.toContain('were not sent');
  });

  test('is its writer’s alone', async () => {
    const review = asBob();
    const [ada, bob] = [await signedIn(review), await signedIn(review, TOKEN_OF_BOB)];
    await write({ comment: 'a thought of ada’s' }, ada);
    await write({ comment: 'a thought of bob’s' }, bob);
    expect(fieldIn((await ada.get(GATE)).text, 'comment')).toBe('a thought of ada’s');
    expect((await bob.get(GATE)).text).not.toContain('ada’s');
    expect(await draftFiles()).toHaveLength(2);
  });

  test('is no part of the run’s record, and stands in no folder that an agent is given', async () => {
    const before = await readdir(join(run.dir, 'events'));
    await write({ comment: 'half a thought' });
    expect(await readdir(join(run.dir, 'events'))).toEqual(before);
    const given = chatMounts(run).map(({ physical }) => physical);
    expect(given.some((path) => join(run.dir, 'drafts').startsWith(path))).toBe(false);
    const [name = ''] = await draftFiles();
    expect(JSON.parse(await readFile(join(run.dir, 'drafts', name), 'utf8'))).toMatchObject({ version: 1, who: 'ada' });
  });

  test('stops no decision when its file is damaged', async () => {
    await write({ comment: 'notes' });
    const [name = ''] = await draftFiles();
    await writeFile(join(run.dir, 'drafts', name), '{"version":1,');
    expect((await client.get(GATE)).status).toBe(200);
    await write({ comment: 'again' });
    expect(fieldIn((await client.get(GATE)).text, 'comment')).toBe('again');
  });
});

describe('about an earlier design', () => {
  const answerByApi = async (decision: string) =>
    client.api(`/api/gates/run-1.HITL-1.r2/decision`, {
      digest: await digest(),
      decision,
      comment: 'So.',
      nonce: 'by-api-1',
    });

  test('is shown as from the previous round, and taken over: rules keep their place, the rest goes into the notes', async () => {
    await write({ comment: 'old notes', 'on.R1': 'old on R1', 'on.R2 "day 30"': 'old on words', q1: 'yes' });
    await answerByApi('request_changes');
    expect((await client.get(GATE)).text).toContain('were not sent before this gate was answered');
    await desk.again(run, {});
    const { text } = await client.get(NEXT);
    expect(text).toContain('Written before, never sent');
    expect(text.match(/from the previous round/g)).toHaveLength(4);
    expect(text).toContain('To your question 1: yes');
    expect([fieldIn(text, 'comment'), fieldIn(text, 'on.R1')]).toEqual(['', '']);
    const taken = await client.send(`${NEXT}/earlier`, { earlier: 'take', comment: 'new notes' }, { from: NEXT });
    expect(taken.text).not.toContain('Written before, never sent');
    for (const page of [taken, await client.get(NEXT)]) {
      expect(fieldIn(page.text, 'on.R1')).toBe('old on R1');
      expect(fieldIn(page.text, 'comment')).toBe(
        'new notes\nold notes\nR2 &quot;day 30&quot;: old on words\nTo your question 1: yes',
      );
    }
  });

  test('is dropped when its writer says so, and once they have answered', async () => {
    await write({ comment: 'old notes' });
    await answerByApi('request_changes');
    await desk.again(run, {});
    const dropped = await client.send(`${NEXT}/earlier`, { earlier: 'drop', comment: 'new notes' }, { from: NEXT });
    expect(dropped.text).not.toContain('old notes');
    expect(fieldIn((await client.get(NEXT)).text, 'comment')).toBe('new notes');
    await client.send(NEXT, { decision: 'approve', comment: 'new notes' });
    expect(await draftFiles()).toEqual([]);
  });

  test('is neither taken over nor dropped at a gate that was answered meanwhile, nor where there is no room', async () => {
    await write({ comment: 'old notes', 'on.R1': 'old on R1' });
    await answerByApi('request_changes');
    await desk.again(run, {});
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`on.R${at + 2}`, 'x']));
    expect((await write(many, client, NEXT)).status).toBe(204);
    const full = await client.send(`${NEXT}/earlier`, { earlier: 'take', ...many }, { from: NEXT });
    expect([full.status, full.text]).toEqual([409, expect.stringContaining('Nothing was taken over.')]);
    expect(full.text).toContain('Written before, never sent');
    const page = await client.get(NEXT);
    const form = /name="form" value="([^"]+)"[^>]*\/>\s*<input type="hidden" name="nonce"/.exec(page.text)?.[1] ?? '';
    const after = { digest: await digest(), decision: 'request_changes', comment: 'No.', nonce: 'by-api-3' };
    await client.api('/api/gates/run-1.HITL-1.r3/decision', after);
    for (const earlier of ['take', 'drop']) await client.send(`${NEXT}/earlier`, { earlier, form }, { from: NEXT });
    await desk.again(run, {});
    const { text } = await client.get('/runs/run-1/gates/HITL-1.r4');
    expect(text).toContain('old on R1');
    expect(text).toContain('from round 2');
  });

  test('an edit by somebody else makes it earlier too; two rounds later it still says of which round it was', async () => {
    const second = await desk.waiting('run-2', [{}], 2);
    const review = asBob();
    const [ada, bob] = [await signedIn(review), await signedIn(review, TOKEN_OF_BOB)];
    const FIRST = '/runs/run-2/gates/HITL-1.r1';
    await write({ 'on.R1': 'about the text before' }, ada, FIRST);
    const edited = await bob.send(`${FIRST}/edit`, {
      do: 'approve',
      'file.unified_scenario_design.md': `# Refund desk\n\n${'Quite another text. '.repeat(20)}`,
      'file.business_rules.yaml': await readFile(join(second.dir, 'design/r1/business_rules.yaml'), 'utf8'),
      'file.format_spec.yaml': await readFile(join(second.dir, 'design/r1/format_spec.yaml'), 'utf8'),
    });
    expect(edited.status, edited.text).toBe(303);
    const { text } = await ada.get(FIRST);
    expect(text).toContain('before this design was edited');
    expect(fieldIn(text, 'on.R1')).toBe('');
    await write({ comment: 'old notes' });
    await answerByApi('request_changes');
    await desk.again(run, {});
    const after = { digest: await digest(), decision: 'request_changes', comment: 'No.', nonce: 'by-api-2' };
    await client.api('/api/gates/run-1.HITL-1.r3/decision', after);
    await desk.again(run, {});
    expect((await client.get('/runs/run-1/gates/HITL-1.r4')).text).toContain('from round 2');
  });
});

describe('nobody else writes here', () => {
  test('not strangers, not other sites, not a forged form, not who may not decide', async () => {
    expect((await stranger(desk.review()).send(`${GATE}/draft`, { comment: 'x' }, { from: '/' })).status).toBe(401);
    const crossed = { from: GATE, headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await client.send(`${GATE}/draft`, { comment: 'x' }, crossed)).status).toBe(403);
    expect((await write({ comment: 'x', form: 'forged' })).status).toBe(403);
    const viewer = await signedIn(
      desk.review({ reviewers: { reviewers: [{ name: 'bea' }, { name: 'ada', role: 'viewer' }] } }),
    );
    expect((await write({ comment: 'x' }, viewer)).status).toBe(403);
    expect((await client.send(`${GATE}/earlier`, { earlier: 'take', form: 'forged' }, { from: GATE })).status).toBe(
      403,
    );
    expect(await draftFiles()).toEqual([]);
  });

  test('what is no field of the form is not kept, and there is an end to how many and how long', async () => {
    const strange = {
      decision: 'approve',
      nonce: 'x',
      __proto__: 'x',
      'on.../../x': 'x',
      'on.R1\n': 'x',
      q0: 'x',
      confirm: 'accept',
    };
    await write(strange);
    expect(await draftFiles()).toEqual([]);
    await write({ 'on.R1': 'x'.repeat(9000) });
    expect(fieldIn((await client.get(GATE)).text, 'on.R1')).toHaveLength(2000);
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`on.R${at + 1}`, 'x']));
    const full = await write(many);
    expect([full.status, full.text]).toEqual([409, expect.stringContaining('send those that you have first')]);
    expect(fieldIn((await client.get(GATE)).text, 'on.R2')).toBe('');
  });
});
