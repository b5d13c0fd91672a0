/** `tandem session --run … --steer`: words of a person reach the agent at work with its next request, once, also after a kill. */
import { expect, test } from 'vitest';
import { lastJson } from '../support/cli.ts';
import { openWire, textsOf } from '../support/wire.ts';

const WORDS = 'Every amount is in euro, never in dollars.';
const times = (text: string): number => text.split(WORDS).length - 1;

test('said to Init while it works, read once although its process was killed, and part of the report; never at a gate', async () => {
  const wire = await openWire();
  const held = Promise.withResolvers<void>();
  wire.meddle(({ who, number }) => {
    if (who !== 'init' || number !== 3) return undefined;
    held.resolve();
    return () => undefined;
  });
  const run = wire.start(['run', 'desk', '--profile', 'wire', '--id', 'steered', '--on-gate', 'exit']);
  await held.promise;
  const steer = (...more: string[]) => ['session', '--run', 'steered', '--steer', ...more];
  const said = await wire.tandem(steer('-p', WORDS, '--json'), { USER: 'ada' });
  expect([said.code, lastJson(said)]).toMatchObject([
    0,
    { run: 'steered', agent: 'init', actor: 'user:ada', step: 'design.r1', text: WORDS, via: 'cli' },
  ]);
  run.kill('SIGKILL');
  await run.done;
  wire.meddle(() => undefined);
  const before = wire.sent('init').length;
  const resumed = await wire.tandem(['resume', 'steered', '--profile', 'wire', '--json', '--on-gate', 'exit']);
  expect(resumed.code, resumed.stderr).toBe(4);

  const sent = wire.sent('init');
  expect(before).toBe(3);
  expect(sent.slice(0, 3).map((one) => times(textsOf(one)))).toEqual([0, 0, 0]);
  expect(sent.length).toBeGreaterThan(3);
  expect(sent.slice(3).map((one) => times(textsOf(one)))).toEqual(sent.slice(3).map(() => 1));
  const words = textsOf(sent[3] ?? { messages: [] });
  expect(words).toContain('<person_speaks actor=\\"user:ada\\"');

  const atGate = await wire.tandem(['session', '--run', 'last', '--steer', '-p', WORDS]);
  expect([atGate.code, atGate.stderr]).toEqual([2, expect.stringContaining('waits at HITL-1.r1')]);
  const report = await wire.tandem(['report', 'steered']);
  expect(report.stdout).toMatch(/\*\*Said to init during design\.r1\*\* by `user:ada`.*read at e\d+[\s\S]*in euro/);
  const verified = await wire.tandem(['verify', 'steered']);
  expect(verified.code, verified.stderr).toBe(0);
  expect((await wire.tandem(['context', 'show', 'steered', 'init'])).stdout).toContain('person_speaks');

  // What is asked for at the gate is the same conversation, and the words are still in it.
  await wire.decide('steered', 'request-changes', 'Name the desk.');
  expect(times(textsOf(wire.sent('init').at(-1) ?? { messages: [] }))).toBe(1);
  const agent = await wire.tandem(steer('-p', WORDS), { TANDEM_AGENT: 'claude' });
  expect([agent.code, agent.stderr]).toEqual([2, expect.stringContaining('may not steer')]);
}, 60_000);

test('flags that say something else are refused', async () => {
  const wire = await openWire();
  const refused = async (...args: string[]) => (await wire.tandem(['session', ...args])).stderr;
  expect(await refused('--steer', '-p', 'x')).toContain('--steer needs the run');
  expect(await refused('init', '--run', 'x', '--steer', '-p', 'x')).toContain('takes --run and -p alone');
  expect(await refused('--run', 'x', '--steer')).toContain('takes its words with -p');
});
