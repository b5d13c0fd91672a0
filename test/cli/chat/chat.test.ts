/** `tandem chat` and `tandem gates undo` as somebody at a terminal has them. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { chatCommand, type ChatCommandOptions } from '../../../src/cli/chat/chat.ts';
import { waitForDecision } from '../../../src/pipeline/drive/answer-gates.ts';
import { decideAtGate, listGates, undoAtGate } from '../../../src/cli/gates/gates.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import { eachWaiting } from '../../support/asking.ts';
import { live } from '../../support/project.ts';
import { fakeIo, type FakeIo } from '../fake-io.ts';

const here = eachWaiting();
let io: FakeIo;
beforeEach(() => {
  io = fakeIo(here.project.dir);
});

const chat = (options: ChatCommandOptions = {}, to: FakeIo = io) =>
  chatCommand(here.run.id, options, { io: to, signal: live });
/** A person who types these lines and then leaves. */
const typing = (...lines: string[]): FakeIo => ({ ...io, ask: async () => lines.shift() ?? '/quit' });
const events = async (type: string) => (await here.run.journal.read()).filter(({ body }) => body.type === type);

describe('tandem chat', () => {
  test('--message prints the answer and its cost, and one JSON value with --json', async () => {
    expect(await chat({ message: 'Which rules?' })).toBe(0);
    expect(io.lines[0]).toContain('twice at most (R2)');
    expect(io.lines[1]).toMatch(/^\(\$0\.\d+; event \d+ of the run\)$/);
    await chat({ message: 'Which rules?', json: true });
    expect(io.json()).toMatchObject({ run: here.run.id, gate: 'HITL-1.r1', actor: 'user:ada', via: 'cli', calls: 2 });
    expect(io.json()).not.toHaveProperty('nonce');
  });

  test('takes lines from a person, obeys its words, and sends no slip to a model (S3.8)', async () => {
    await chat(
      {},
      typing('/help', '/curent', '/current', 'Which rules?', '', '/current', '/clean', 'The cost?', '/quit'),
    );
    const told = io.errors.join('\n');
    for (const words of [
      'SIMULATED',
      '/clean',
      'is no word here',
      'Nothing was asked',
      '2 calls',
      'begins afresh',
      'looking: grep',
    ])
      expect(told, words).toContain(words);
    expect(io.lines.join('\n')).toContain('twice at most (R2)');
    const lanes = (await events('chat.exchanged')).map(({ body }) => body.type === 'chat.exchanged' && body.lane);
    expect(lanes).toEqual(['r1', 'r1-2']);
  });

  test('goes on after a question that could not be answered, and shows earlier ones when it is taken up again', async () => {
    await chat({}, typing('What of @busines_rules.yaml?', 'Which rules?'));
    expect(io.errors.join('\n')).toContain('Did you mean @design/r1/business_rules.yaml?');
    const later = fakeIo(here.project.dir);
    await chat({}, { ...later, ask: async () => '/quit' });
    expect(later.errors.join('\n')).toContain('user:ada > Which rules?');
  });

  test('gives nobody who waits for a decision more time', async () => {
    const state = await stateOf(here.run.id, here.app.deps);
    if (state.status !== 'awaiting_approval') throw new Error(state.status);
    const waiting = waitForDecision(state, here.app.deps, { run: here.run.dir, timeoutMs: 1200, signal: live });
    await chat({ message: 'Which rules?' });
    expect(await waiting).toBe(false);
  });

  test('without a terminal says how to ask, and of an unknown gate which there are', async () => {
    await expect(chat()).rejects.toThrow(/tandem chat run-\d+ --message/);
    await expect(chat({ message: 'x', gate: 'HITL-1.r4' })).rejects.toThrow(/There are: HITL-1.r1/);
  });

  test('of a scenario whose scripts know no questions says what to do', async () => {
    const script = join(here.project.dir, 'scenarios/small-desk/simulation/chat.yaml');
    const text = await readFile(script, 'utf8');
    await rm(script);
    try {
      await expect(chat({ message: 'Which rules?' })).rejects.toThrow(
        /Nothing of the question is on record.*simulation\/chat.yaml/,
      );
    } finally {
      await writeFile(script, text);
    }
    expect(await events('chat.exchanged')).toEqual([]);
  });

  test('shows no escape sequence of an answer, streamed or whole', async () => {
    const script = join(here.project.dir, 'scenarios/small-desk/simulation/chat.yaml');
    const text = await readFile(script, 'utf8');
    await writeFile(
      script,
      text
        .replace('Three: look first', '"\\e[31mThree\\e]0;owned\\a: look first')
        .replace("does not override.'", 'does not override."')
        .replace('say: \'"', 'say: "'),
    );
    try {
      const drawn: string[] = [];
      const screen = { columns: () => 80, color: false, onResize: () => () => undefined };
      await chat({}, { ...typing('Which rules?'), screen, draw: (part) => void drawn.push(part) });
      await chat({ message: 'Which rules?' });
      const all = [...drawn, ...io.lines, ...io.errors].join('');
      expect(all).toContain('␛[31mThree␛]0;owned␇: look first');
      // oxlint-disable-next-line no-control-regex
      expect(all).not.toMatch(/[\u001b\u0007]/);
    } finally {
      await writeFile(script, text);
    }
  });
});

describe('tandem gates undo', () => {
  const digest = async () => {
    const state = await stateOf(here.run.id, here.app.deps);
    return state.designs[0]?.digest ?? '';
  };

  test('takes the decision back by run or by gate, and the gate is listed again', async () => {
    await decideAtGate(here.run.id, { decision: 'approve', digest: await digest() }, io);
    expect(await undoAtGate(here.run.id, { comment: 'too early' }, io)).toBe(0);
    expect(io.lines.at(-1)).toMatch(
      /HITL-1.r1: approve by user:ada is taken back; the gate waits again, digest [0-9a-f]+/,
    );
    await listGates({}, io);
    expect(io.lines.join('\n')).toContain(here.run.id);
    await decideAtGate(here.run.id, { decision: 'reject', digest: await digest(), comment: 'no' }, io);
    await undoAtGate(`${here.run.id}.HITL-1.r1`, { json: true }, io);
    expect(io.json()).toMatchObject({
      run: here.run.id,
      gate: 'HITL-1.r1',
      decision: { decision: 'reject' },
      via: 'cli',
    });
  });

  test('says why not', async () => {
    await expect(undoAtGate(here.run.id, {}, io)).rejects.toThrow(/has no decision to take back/);
    await decideAtGate(here.run.id, { decision: 'approve', digest: await digest() }, io);
    await expect(undoAtGate(here.run.id, { whose: 'bob' }, io)).rejects.toThrow(
      /only user:bob may take it back, or an owner/,
    );
  });
});
