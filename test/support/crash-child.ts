/** A worker to be killed: `node crash-child.ts append|commit|spend <run folder> <name>`; it says on stdout what is done. */
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileArtifacts } from '../../src/adapters/files/file-artifacts.ts';
import { openFileJournal } from '../../src/adapters/files/file-journal.ts';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { isHarnessError } from '../../src/errors.ts';

const STEPS = 8;
const CALLS = 6;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Appends for ever; says the number of each event that is durable. */
async function append(dir: string, name: string): Promise<void> {
  const journal = openFileJournal(dir, { clock: { now: () => new Date() } });
  for (let length = (await journal.read()).length; ; length += 1) {
    try {
      await journal.append({ type: 'gate.reminded', gate: name }, `worker:${name}`, length);
      say(String(length));
    } catch (error) {
      if (!isHarnessError(error, 'journal_conflict')) throw error;
      length = (await journal.read()).length - 1;
    }
  }
}

/** Makes folder after folder, each out of paid calls; says `done` when all are committed. */
async function commit(dir: string, name: string): Promise<void> {
  const artifacts = openFileArtifacts(dir, name);
  say('ready');
  for (let number = 1; number <= STEPS; number += 1) {
    const [step, target] = [`execute.i${number}`, `execution_outputs/iteration_${number}`];
    if ((await artifacts.committed(target)) === undefined) {
      const attempt = await artifacts.begin(step, target, []);
      for (let call = 1; call <= CALLS; call += 1) {
        const key = `main.${call}`;
        let answer = await attempt.recall(key);
        if (answer === undefined) {
          answer = `answer ${number}.${call}`;
          await appendFile(join(dir, 'paid.log'), `${number}.${call}\n`);
          await attempt.remember(key, answer);
        }
        await writeFile(join(attempt.out, `${call}.txt`), String(answer));
      }
      await artifacts.commit(attempt);
    }
    await artifacts.discard(step);
  }
  say('done');
}

/** Reserves and settles for ever under one cap; says each call that is settled. */
async function spend(dir: string, name: string): Promise<void> {
  const spending = openFileSpending(dir);
  const price = { input: 0, output: 1_000_000, cacheWrite: 0, cacheRead: 0 };
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  say('ready');
  for (let number = 0; ; number += 1) {
    const call = `${name}.${process.pid}.${number}`;
    try {
      await spending.reserve({ call, agent: name, model: 'm', worstUsd: 2 }, 200);
    } catch (error) {
      if (!isHarnessError(error, 'budget_exceeded')) throw error;
      say('full');
      return;
    }
    await spending.settle(call, usage, { price });
    say(call);
  }
}

const [mode = '', dir = '', name = ''] = process.argv.slice(2);
const modes: Record<string, (dir: string, name: string) => Promise<void>> = { append, commit, spend };
await modes[mode]?.(dir, name);
