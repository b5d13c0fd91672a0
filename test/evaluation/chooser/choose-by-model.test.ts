import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chooseLabelled, toMoves } from '../../../bench/words/label-moves.ts';
import { readRows, readSample } from '../../../bench/words/score-messages.ts';
import { call, facts, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { briefWith, evaluateLamps } from '../evaluate-lamps.ts';
import { turnOn } from '../lamps.ts';

test('a model picks from the menu, a bad pick is asked for again, and the trace says who chose what', async () => {
  const pick = (move: string, quote: string) => call('choose_moves', { moves: [{ move, quote }] });
  const chooser = scriptedModel([
    pick('tell:room', 'Which house?'),
    pick('tell:room', 'In which room?'),
    pick('end', ''),
  ]);
  const subject = scriptedModel([
    say('In which room?'),
    call('switch_lamp', { id: 'hall', on: true }, 'toolu_1'),
    say('The hall lamp is on.'),
  ]);
  const user = { says_first: 'Light, please.', knows: { room: 'the hall' } };
  const { results, linesOf } = await evaluateLamps({
    files: { 'samples/turn-on.json': { ...turnOn, user }, 'samples/locked-lamp.json': undefined },
    brief: briefWith({ user: { simulator: 'auto', model: 'small' } }),
    modelFor: () => subject,
    chooserModel: {
      name: 'small',
      maxTokens: 500,
      price: facts().price,
      prompt: await readFile('prompts/user_chooser.md', 'utf8'),
      modelFor: () => chooser,
    },
  });
  expect(results.user).toEqual({ version: 'chooser-10', chooser: 'small' });
  expect(results.samples[0]).toMatchObject({ outcome: 'pass' });
  const lines = await linesOf('turn-on.1');
  expect(lines.find(({ type, ...line }) => type === 'user' && 'step' in line && line.step === 1)).toMatchObject({
    text: 'It is the hall.',
    chosen: { by: 'small', moves: [{ move: 'tell:room', quote: 'In which room?' }] },
  });
  expect(JSON.stringify(chooser.requests[1])).toContain('The agent did not say');
  expect(chooser.requests[0]?.tools[0]).toMatchObject({ name: 'choose_moves' });
});

test('what a model answers as labelled, code lets through, in four languages', async () => {
  const rows = [...readRows(), ...readRows('later-messages.tsv')].filter(({ state }) => state === 'early');
  const settings = { name: 'small', price: facts().price, prompt: 'Choose.', maxTokens: 100 };
  const wrong: string[] = [];
  for (const row of rows) {
    const moves = toMoves(row.wanted[0] ?? '', readSample(row.language, row.sample), row.said);
    const model = scriptedModel(Array.from({ length: 3 }, () => call('choose_moves', { moves })));
    const { isRight, got } = await chooseLabelled(row, { ...settings, model }, new AbortController().signal);
    if (!isRight) wrong.push(`${row.language} ${row.wanted.join('|')}, got ${got}: ${row.said}`);
  }
  expect(rows.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});
