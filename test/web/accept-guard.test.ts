/** Approving against a machine's doubt takes the word `accept`, on every face that a person has; a policy is excepted. */
import { beforeEach, describe, expect, test } from 'vitest';
import { approveBatch } from '../../src/cli/batch/gates.ts';
import { forgetMarks, reviewGate } from '../../src/cli/gates/review-gate.ts';
import { decideAtGate } from '../../src/cli/gates/gates.ts';
import { decideGate } from '../../src/gate/decide.ts';
import { readPack } from '../../src/gate/read-pack.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { quietIo } from '../support/project.ts';
import { bearer, stranger } from './client.ts';
import { TOKEN } from './desk.ts';
import { useDesk } from './use-desk.ts';

const GATE = 'HITL-1.r1';
const DOUBTED = [{ doubt: true as const }];
const desk = useDesk();
let run: RunFolder;
let digest: string;
beforeEach(async () => {
  run = await desk.waiting('run-1', DOUBTED);
  const state = await desk.state(run);
  digest = state.status === 'awaiting_approval' ? state.gate.digest : '';
});

const status = async (of = run) => (await desk.state(of)).status;
const io = (answers: string[] = []) => {
  const made = quietIo(desk.root, { USER: 'ada' });
  made.ask = async () => answers.shift() ?? 'q';
  return made;
};
const unconfirmed = { code: 'gate_refused', details: { refusal: 'unconfirmed' } };
const never = new AbortController().signal;

describe('an approval against a doubt', () => {
  test('is refused by the door itself, and says what to do next', async () => {
    const asked = { run: run.dir, gate: GATE, digest, comment: '', actor: 'user:ada', via: 'test' };
    const decide = (more: object) =>
      decideGate(
        { ...asked, decision: 'approve', nonce: JSON.stringify(more), ...more },
        { starterMayDecide: true, policyMayDecide: true },
        { store: desk.store, clock: desk.clock, progress: () => undefined },
      );
    await expect(decide({})).rejects.toMatchObject(unconfirmed);
    await expect(decide({ decision: 'edit_approve', edits: {} })).rejects.toMatchObject(unconfirmed);
    await expect(decide({})).rejects.toThrow(
      /1 of 7 machine checks .*gates show run-1 .*"confirm" in the API, with --accept on the/,
    );
    await decide({ confirm: 'accept' });
    expect(await status()).toBe('executing');
  });

  test('is made by a policy, which reads nothing, and the journal names the policy', async () => {
    const asked = { run: run.dir, gate: GATE, digest, comment: '', via: 'policy', nonce: 'n', actor: 'policy:demo' };
    const permissions = { starterMayDecide: true, policyMayDecide: true };
    const deps = { store: desk.store, clock: desk.clock, progress: () => undefined };
    await decideGate({ ...asked, decision: 'approve' }, permissions, deps);
    expect((await desk.state(run)).decisions[0]).toMatchObject({ actor: 'policy:demo', decision: 'approve' });
  });

  test('takes --accept on the command line', async () => {
    await expect(decideAtGate('run-1', { decision: 'approve', digest }, io())).rejects.toMatchObject(unconfirmed);
    expect(await decideAtGate('run-1', { decision: 'approve', digest, accept: true }, io())).toBe(0);
    expect(await status()).toBe('executing');
  });

  test('takes --accept for a batch too', async () => {
    const other = await desk.waiting('run-2', DOUBTED);
    await desk.batch('b', ['run-1', 'run-2']);
    await expect(approveBatch('b', { run: 'run-1', digest }, io())).rejects.toMatchObject(unconfirmed);
    expect(await status(other)).toBe('awaiting_approval');
    await approveBatch('b', { run: 'run-1', digest, accept: true }, io());
    expect([await status(), await status(other)]).toEqual(['executing', 'executing']);
  });

  test('takes the word at the prompt of tandem run', async () => {
    const [pack, state] = [await readPack(run, GATE), await desk.state(run)];
    if (state.status !== 'awaiting_approval') throw new Error(state.status);
    const gate = () => ({ run, state, pack, moment: {}, marks: forgetMarks(), left: 0 });
    expect(await reviewGate(gate(), io(['a', 'no', 'q']), never)).toBe('quit');
    expect(await reviewGate(gate(), io(['a', 'accept', 'fine']), never)).toEqual({
      ...{ decision: 'approve', comment: 'fine', confirm: 'accept' },
    });
  });

  test('takes the word on the page, in its edit form, and in the API', async () => {
    const client = stranger(desk.review());
    await client.send('/sign-in', { token: TOKEN });
    const path = `/runs/run-1/gates/${GATE}`;
    const refused = await client.send(path, { decision: 'approve' });
    expect([refused.status, refused.text.includes('write accept')]).toEqual([422, true]);
    const page = await client.get(`${path}/edit`);
    const text = /name="file.unified_scenario_design.md"[^>]*>([^<]*)</.exec(page.text)?.[1] ?? '';
    const edited = { do: 'approve', 'file.unified_scenario_design.md': `${text}\nMore.` };
    expect((await client.send(`${path}/edit`, edited)).status).toBe(422);
    const door = `/api/gates/run-1.${GATE}/decision`;
    const body = { digest, decision: 'approve', nonce: 'api-nonce-1' };
    expect(await client.api(door, body, bearer())).toMatchObject({
      status: 422,
      json: { error: { code: 'gate_refused', refusal: 'unconfirmed' } },
    });
    expect(await status()).toBe('awaiting_approval');
    expect((await client.api(door, { ...body, confirm: 'accept' }, bearer())).status).toBe(200);
  });
});
