/** `tandem gates review`: the same answers as on the page, a key at a time; and nothing that was written acts on the terminal. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reviewGates } from '../../src/cli/gates/review-gates.ts';
import { HOSTILE } from '../report/hostile.ts';
import { quietIo } from '../support/project.ts';
import { signedIn } from './client.ts';
import { RULES } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const never = new AbortController().signal;

/** Answers the questions one after the other; quits when none is left. */
async function type(answers: readonly string[], run?: string, env: Record<string, string> = {}): Promise<string> {
  const io = quietIo(desk.root, { USER: 'ada', ...env });
  const left = [...answers];
  io.ask = async (question) => {
    io.said.push(question);
    return left.shift() ?? 'q';
  };
  await reviewGates(run, io, never);
  return io.said.join('\n');
}

describe('a reviewer at a terminal', () => {
  test('goes through the rows, notes something on one, and approves', async () => {
    const run = await desk.waiting('run-1', [
      {},
      { rules: [RULES[0], { ...RULES[1], text: 'Up to day 40.' }] as typeof RULES },
    ]);
    const said = await type(['j', 'c', 'good', 'o', 'a', 'all fine']);
    expect(said).toContain('1/1  R2 Thirty days (changed)');
    expect(said).toContain('+ Up to day 40.');
    expect(said).toContain('I want my money back.');
    expect((await desk.state(run)).decisions.at(-1)).toMatchObject({
      decision: 'approve',
      actor: 'user:ada',
      via: 'terminal',
      comment: 'R2: good\n\nall fine',
    });
  });

  test('marks a rule as reviewed for the page too; it comes last from then on, until it changes', async () => {
    const run = await desk.waiting('run-1');
    expect(await type(['v', 'j', 'v'])).toMatch(/Go to a rule first[\s\S]*R1 is reviewed, until its text/);
    const again = await type(['j', 'j', 'v'], 'run-1');
    expect(again).toMatch(
      /1 of 2 rows you have reviewed already[\s\S]*1\/2  R2 Thirty[\s\S]*2\/2  R1 \[reviewed\] Identity/,
    );
    expect(again).toContain('R1 is not reviewed any more.');
    await type(['j', 'v']);
    const { text } = await (await signedIn(desk.review())).get('/runs/run-1/gates/HITL-1.r1');
    expect(text).toContain('1 rule that you have reviewed');
    expect(await desk.state(run)).toMatchObject({ status: 'awaiting_approval', decisions: [] });
    // Somebody else has marked nothing.
    expect(await type(['j'], 'run-1', { USER: 'bob' })).not.toContain('reviewed already');
    expect(await type(['?'])).toContain('v    reviewed');
  });

  test('is shown what changed since the own last decision, what tests it, and what others did meanwhile', async () => {
    const day = (text: string) => ({ rules: [RULES[0], { ...RULES[1], text }] as typeof RULES, samples: 3 });
    const run = await desk.waiting('run-1', [day('Up to day 30.'), day('Up to day 40.'), day('Up to day 50.')], 2);
    const own = await type([], 'run-1');
    expect(own).toContain('SINCE YOU APPROVED ROUND 2');
    expect(own).toMatch(/tested by 1 sample \(customer-asks-for-money-back-case-2\) and 1 checker/);
    expect(own).toContain('Needs 2 approvals, each of another person.');
    expect(await type([], 'run-1', { USER: 'bob' })).toContain('SINCE ROUND 2 WAS APPROVED');
    expect((await desk.state(run)).status).toBe('awaiting_approval');
  });

  test('who asked for changes of the first design is shown the way from it', async () => {
    const run = await desk.waiting('run-1');
    await type(['r', 'R2: from when?'], 'run-1');
    await desk.again(run, { rules: [RULES[0], { ...RULES[1], text: 'Up to day 40.' }] as typeof RULES });
    const said = await type(['j'], 'run-1');
    expect(said).toContain('SINCE YOU ASKED FOR CHANGES OF ROUND 1');
    expect(said).toContain('1/1  R2 Thirty days (changed)');
  });

  test('asks for changes, rejects, or goes on to the next gate', async () => {
    const [one, two, three] = [await desk.waiting('run-1'), await desk.waiting('run-2'), await desk.waiting('run-3')];
    await type(['r', 'R2: from when?', 'J', 'x', '', 'x', 'not this desk']);
    expect((await desk.state(one)).status).toBe('designing');
    expect((await desk.state(two)).status).toBe('awaiting_approval');
    expect((await desk.state(three)).status).toBe('rejected');
  });

  test('types the word against a doubt, or does not approve', async () => {
    const run = await desk.waiting('run-1', [{ doubt: true }]);
    await type(['a', 'yes']);
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    await type(['a', 'accept', '']);
    expect((await desk.state(run)).status).toBe('executing');
  });

  test('edits in the own editor, sees the patch, approves it', async () => {
    const run = await desk.waiting('run-1');
    const editor = join(desk.root, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/day 30/day 40/" "$2"\n');
    await chmod(editor, 0o755);
    const said = await type(['e', 'y'], 'run-1', { EDITOR: editor });
    expect(said).toMatch(/^\+.*day 40/m);
    const [decision] = (await desk.state(run)).decisions;
    expect(decision?.decision).toBe('edit_approve');
    expect(await readFile(join(run.dir, decision?.editedDir ?? '', 'business_rules.yaml'), 'utf8')).toContain('day 40');
  });

  test('is told when the rules forbid it, and nothing is recorded', async () => {
    const run = await desk.waiting('run-1');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(desk.root, 'config'), { recursive: true });
    await writeFile(join(desk.root, 'config/reviewers.yaml'), 'version: 1\nreviewers: [{ name: eve }]\n');
    expect(await type(['a', ''])).toContain('user:ada is no reviewer of this scenario');
    expect((await desk.state(run)).status).toBe('awaiting_approval');
  });

  test('needs a terminal', async () => {
    await expect(reviewGates(undefined, quietIo(desk.root), never)).rejects.toThrow('needs a terminal');
  });
});

test('no escape sequence, no carriage return and no hidden character of a design reaches the terminal', async () => {
  const rules = HOSTILE.filter((text) => text.trim() !== '').map((text, index) => ({
    id: `R${index + 1}`,
    title: text,
    text: `${text}!`,
  }));
  await desk.waiting('run-1', [
    {},
    {
      rules,
      narrative: HOSTILE.join('\n'),
      prompt: HOSTILE.join('\n'),
      questions: [...HOSTILE].filter((text) => text.trim() !== ''),
    },
  ]);
  const said = await type([...rules.map(() => 'j'), 'd', 'o', '?']);
  expect(said).not.toMatch(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u,
  );
});
