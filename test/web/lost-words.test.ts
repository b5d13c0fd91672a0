/** What a person has written is not lost: not by leaving, not by a session that ended, not by second thoughts. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/disk/sha256.ts';
import { parse } from 'yaml';
import { BusinessRules } from '../../src/scenario/design.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { signedIn, type Client } from './client.ts';
import { RULES, TOKEN } from './desk.ts';
import { useDesk } from './use-desk.ts';

const GATE = '/runs/run-1/gates/HITL-1.r1';
const EDIT = `${GATE}/edit`;
const NARRATIVE = 'unified_scenario_design.md';
const LONG = `# Refund desk\n\n${'Quite another text. '.repeat(20)}`;
const DAY = 24 * 60 * 60 * 1000;

const desk = useDesk();
let run: RunFolder;
let client: Client;
beforeEach(async () => {
  run = await desk.waiting('run-1');
  client = await signedIn(desk.review());
});

const fieldIn = (text: string, name: string) =>
  new RegExp(`<textarea[^>]*name="${name.replaceAll('.', '\\.')}"[^>]*>\\n([^<]*)<`).exec(text)?.[1] ?? '';
const rulesNow = async (dir = 'design/r1') =>
  BusinessRules.parse(parse(await readFile(join(run.dir, dir, 'business_rules.yaml'), 'utf8'))).rules;

describe('an edit that was not sent', () => {
  test('is there again in another browser, with its patch; it is dropped when its writer says so', async () => {
    const saved = await client.send(`${EDIT}/draft`, { [`file.${NARRATIVE}`]: LONG, comment: 'mine' }, { from: EDIT });
    expect(saved.status).toBe(204);
    const other = await signedIn(desk.review());
    const page = await other.get(EDIT);
    expect(fieldIn(page.text, `file.${NARRATIVE}`)).toBe(LONG);
    expect(fieldIn(page.text, 'comment')).toBe('mine');
    expect(page.text).toContain('Your edit is a valid design');
    expect((await other.send(EDIT, { do: 'drop' })).status).toBe(303);
    expect(fieldIn((await client.get(EDIT)).text, `file.${NARRATIVE}`)).not.toContain('Quite another');
  });

  test('is kept by looking at it, is nobody else’s, and goes with its approval, with the comments', async () => {
    await client.send(EDIT, { [`file.${NARRATIVE}`]: LONG, do: 'check' });
    await client.send(`${GATE}/draft`, { 'on.R1': 'which postcode?' }, { from: GATE });
    expect(fieldIn((await client.get(EDIT)).text, `file.${NARRATIVE}`)).toBe(LONG);
    const bob = await signedIn(desk.review({ local: { name: 'bob', token: TOKEN } }));
    expect((await bob.get(EDIT)).text).not.toContain('Quite another');
    const done = await client.send(EDIT, { [`file.${NARRATIVE}`]: LONG, do: 'approve', comment: 'so' });
    expect(done.status).toBe(303);
    expect((await desk.state(run)).decisions[0]).toMatchObject({
      decision: 'edit_approve',
      comment: 'R1: which postcode?\n\nso',
    });
    expect(await desk.state(run)).toMatchObject({ status: 'executing' });
  });

  test('of an earlier design is shown, folded, until it is dropped; it never becomes part of another', async () => {
    await client.send(`${EDIT}/draft`, { [`file.${NARRATIVE}`]: LONG }, { from: EDIT });
    const { digest = '' } = (await desk.state(run)).designs[0] ?? {};
    const asked = { digest, decision: 'request_changes', comment: 'No.', nonce: 'by-api-1' };
    await client.api('/api/gates/run-1.HITL-1.r1/decision', asked);
    await desk.again(run, { narrative: 'Something else. '.repeat(20) });
    const next = GATE.replace('r1', 'r2');
    expect((await client.get(next)).text).toContain(`An edit of ${NARRATIVE}`);
    const taken = await client.send(`${next}/earlier`, { earlier: 'take' }, { from: next });
    expect(taken.text).toContain(`An edit of ${NARRATIVE}`);
    expect(fieldIn(taken.text, 'comment')).toBe('');
    expect((await client.get(`${next}/edit`)).text).not.toContain('Quite another');
    const dropped = await client.send(`${next}/earlier`, { earlier: 'drop' }, { from: next });
    expect(dropped.text).not.toContain(`An edit of`);
  });
});

describe('one rule', () => {
  test('is edited by its fields, without a script; the other bytes of the file stay, and the patch is shown', async () => {
    const before = await readFile(join(run.dir, 'design/r1/business_rules.yaml'), 'utf8');
    const form = await client.get(`${EDIT}?rule=R2`);
    expect(fieldIn(form.text, 'rule.text')).toBe(RULES[1]?.text);
    const kept = await client.send(`${EDIT}/rule`, { 'rule.text': 'Up to day 40.' }, { from: `${EDIT}?rule=R2` });
    expect([kept.status, kept.headers.get('location')]).toEqual([303, EDIT]);
    const page = await client.get(EDIT);
    expect(page.text).toMatch(/<ins>[^<]*40/);
    await client.send(`${EDIT}/rule`, { 'rule.title': 'Identity' }, { from: `${EDIT}?rule=R1` });
    expect((await client.send(EDIT, { do: 'approve' })).status).toBe(303);
    const { editedDir = '' } = (await desk.state(run)).decisions[0] ?? {};
    const after = await readFile(join(run.dir, editedDir, 'business_rules.yaml'), 'utf8');
    expect(after).toBe(before.replace(RULES[1]?.text ?? '', 'Up to day 40.').replace('Identity first', 'Identity'));
    expect((await rulesNow(editedDir)).map(({ title }) => title)).toEqual(['Identity', 'Thirty days']);
  });

  test('that is not there, or that somebody may not edit, is refused', async () => {
    expect((await client.get(`${EDIT}?rule=R9`)).status).toBe(404);
    const posted = await client.send(`${EDIT}/rule`, { rule: 'R9', 'rule.text': 'x' }, { from: `${EDIT}?rule=R1` });
    expect(posted.status).toBe(400);
    const forged = await client.send(`${EDIT}/rule`, { form: 'x.y' }, { from: `${EDIT}?rule=R1` });
    expect(forged.status).toBe(403);
  });
});

describe('words that come after the session has ended', () => {
  const late = async (path: string, fields: Record<string, string>, from = GATE) => {
    const page = await client.get(from);
    const hidden = Object.fromEntries(
      [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
    desk.clock.pass(13 * 60 * 60 * 1000);
    return client.send(path, { ...hidden, ...fields }, { from: '/nowhere' });
  };

  test.each([
    ['an answer', GATE, { decision: 'request_changes', comment: 'my words', 'on.R1': 'and these' }, GATE],
    ['a draft', `${GATE}/draft`, { comment: 'my words', 'on.R1': 'and these' }, GATE],
  ])('%s: nothing is recorded, and they are there after signing in', async (_what, path, fields, from) => {
    const page = await late(path, fields, from);
    expect([page.status, page.text.includes('Your session has ended. What you wrote is saved')]).toEqual([401, true]);
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    const again = await (await signedIn(desk.review())).get(GATE);
    expect([fieldIn(again.text, 'comment'), fieldIn(again.text, 'on.R1')]).toEqual(['my words', 'and these']);
  });

  test('a comment of its own page, and an edit', async () => {
    await late(`${GATE}/comment`, { text: 'on its page' }, `${GATE}/comment?on=R1`);
    client = await signedIn(desk.review());
    await late(EDIT, { [`file.${NARRATIVE}`]: LONG, do: 'approve' }, EDIT);
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    const again = await signedIn(desk.review());
    expect(fieldIn((await again.get(GATE)).text, 'on.R1')).toBe('on its page');
    expect(fieldIn((await again.get(EDIT)).text, `file.${NARRATIVE}`)).toBe(LONG);
  });

  test('not of a stranger, of another site, of a form that is not theirs, nor of a session that ended long ago', async () => {
    const kept = async () => fieldIn((await (await signedIn(desk.review())).get(GATE)).text, 'comment');
    const { text } = await client.get(GATE);
    const form = /name="form" value="([^"]+)"[^>]*\/>\s*<input type="hidden" name="nonce"/.exec(text)?.[1] ?? '';
    desk.clock.pass(13 * 60 * 60 * 1000);
    const words = { comment: 'not mine', form };
    await client.send(GATE, words, { from: '/', headers: { 'sec-fetch-site': 'cross-site' } });
    await client.send(GATE, { ...words, form: `${form}x` }, { from: '/' });
    const bob = await signedIn(desk.review({ local: { name: 'bob', token: TOKEN } }));
    desk.clock.pass(13 * 60 * 60 * 1000);
    await bob.send(GATE, words, { from: '/' });
    expect(await kept()).toBe('');
    desk.clock.pass(2 * DAY);
    await client.send(GATE, words, { from: '/' });
    expect(await kept()).toBe('');
  });
});

describe('a decision that is taken back', () => {
  test('gives its words back to who wrote them, each to its place', async () => {
    await client.send(GATE, {
      decision: 'request_changes',
      'on.R1': 'which postcode?\nand why',
      comment: 'in general\n\nno',
    });
    await client.send(`${GATE}/undo`, {}, { from: GATE });
    const { text } = await client.get(GATE);
    expect(fieldIn(text, 'on.R1')).toBe('which postcode?\nand why');
    expect(fieldIn(text, 'comment')).toBe('in general\n\nno');
  });

  test('gives its edit back too', async () => {
    await client.send(EDIT, { [`file.${NARRATIVE}`]: LONG, do: 'approve', comment: 'so' });
    await client.send(`${GATE}/undo`, {}, { from: GATE });
    expect(fieldIn((await client.get(EDIT)).text, `file.${NARRATIVE}`)).toBe(LONG);
    expect(fieldIn((await client.get(GATE)).text, 'comment')).toContain('so');
  });
});

describe('marks of what was reviewed', () => {
  const pressed = (text: string) =>
    [...text.matchAll(/name="(un)?mark"\s+value="(R\d+):/g)].map(
      ([, un, id]) => `${id}${un === undefined ? '' : ' ✓'}`,
    );
  const markOf = (text: string, id: string) =>
    new RegExp(`name="(?:un)?mark"\\s+value="(${id}:[0-9a-f]+)"`).exec(text)?.[1] ?? '';

  test('survive other browsers and rounds; only what changed needs another look, without a script too', async () => {
    const { text } = await client.get(GATE);
    expect(pressed(text)).toEqual(['R1', 'R2']);
    const set = await client.send(
      `${GATE}/mark`,
      { mark: markOf(text, 'R1'), comment: 'half a thought' },
      { from: GATE },
    );
    expect([set.status, set.headers.get('location')]).toEqual([303, `${GATE}?rows=all#R1`]);
    const other = await signedIn(desk.review());
    const again = await other.get(GATE);
    expect(pressed(again.text)).toEqual(['R2', 'R1 ✓']);
    expect(again.text).toContain('1 rule that you have reviewed');
    expect(fieldIn(again.text, 'comment')).toBe('half a thought');
    await other.send(`${GATE}/mark`, { mark: markOf(again.text, 'R2'), script: '1' }, { from: GATE });
    await client.send(GATE, { decision: 'request_changes', comment: 'No.' });
    await desk.again(run, { rules: [RULES[0], { ...RULES[1], text: 'Up to day 40.' }] as typeof RULES });
    const next = await client.get(GATE.replace('r1', 'r2'));
    expect(pressed(next.text)).toEqual(['R2']);
    await client.send(
      `${GATE.replace('r1', 'r2')}/mark`,
      { mark: markOf(next.text, 'R2') },
      { from: GATE.replace('r1', 'r2') },
    );
    const done = await client.get(GATE.replace('r1', 'r2'));
    expect(done.text).toContain('1 change that you have reviewed');
    await client.send(
      `${GATE.replace('r1', 'r2')}/mark`,
      { unmark: markOf(done.text, 'R2') },
      { from: GATE.replace('r1', 'r2') },
    );
    expect(pressed((await client.get(GATE.replace('r1', 'r2'))).text)).toEqual(['R2']);
  });

  test('are one person’s, of rules that are there, and set by nobody else', async () => {
    const { text } = await client.get(GATE);
    const mark = markOf(text, 'R1');
    for (const forged of [{ mark: `R1:${'0'.repeat(16)}` }, { mark: 'R9:x' }, {}])
      expect((await client.send(`${GATE}/mark`, forged, { from: GATE })).status).toBe(404);
    expect((await client.send(`${GATE}/mark`, { mark, form: 'x.y' }, { from: GATE })).status).toBe(403);
    await client.send(`${GATE}/mark`, { mark }, { from: GATE });
    const bob = await signedIn(desk.review({ local: { name: 'bob', token: TOKEN } }));
    expect(pressed((await bob.get(GATE)).text)).toEqual(['R1', 'R2']);
    const reviewers = [{ name: 'ada' }, { name: 'vic', role: 'viewer', token_sha256: sha256('vic') }];
    const viewer = await signedIn(desk.review({ reviewers: { reviewers } }), 'vic');
    expect((await viewer.get(GATE)).text).not.toContain('class="mark"');
  });
});
