/** One approval, on the review page and on the terminal, of a run that waits at its first gate. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyProject, finish, lastJson, refuseEnd, start, type Tree } from './tree.ts';

/** The page looks around when it starts, and tells others after it has answered. */
const QUIET_MS = 1500;

export async function approve(tree: Tree, waiting: string, run: string) {
  const { digest, operations: page } = await approveOnPage(tree, copyProject(waiting), run);
  // The guard against a machine's doubts came later: a tree without it does not know the option.
  const help = await finish({ tree, project: waiting, args: ['gates', 'approve', '--help'], count: false });
  const accept = help.out.includes('--accept') ? ['--accept'] : [];
  const args = ['gates', 'approve', run, '--digest', digest, '--json', ...accept];
  const { noted } = await finish({ tree, project: copyProject(waiting), args, count: true });
  return { page, terminal: noted.operations };
}

/** What the process does from the first look at the gate until the screen after the answer is shown, and shortly after. */
async function approveOnPage(tree: Tree, project: string, run: string) {
  const serving = start({ tree, project, args: ['serve', '--listen', '127.0.0.1:0', '--json'], count: true });
  try {
    const [line] = await Promise.race([once(serving.child.stdout, 'data'), serving.ended.then(refuseEnd)]);
    const signIn = lastJson<{ url: string }>(String(line)).url;
    const { origin } = new URL(signIn);
    const cookies = (await fetch(signIn, { redirect: 'manual' })).headers.getSetCookie();
    const cookie = cookies.map((one) => one.split(';')[0]).join('; ');
    const url = `${origin}/runs/${run}/gates/HITL-1.r1`;
    await pause(QUIET_MS);
    const from = Date.now();
    const html = await (await fetch(url, { headers: { cookie } })).text();
    const field = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(html)?.[1] ?? '';
    const form = { decision: 'approve', digest: field('digest'), nonce: field('nonce'), form: field('form') };
    const body = new URLSearchParams({ ...form, comment: '', confirm: 'accept' });
    const answer = await fetch(url, { method: 'POST', headers: { cookie, origin }, body, redirect: 'manual' });
    const next = new URL(answer.headers.get('location') ?? '', url);
    await (await fetch(next, { headers: { cookie } })).text();
    await pause(QUIET_MS);
    const to = Date.now();
    const events = readdirSync(join(project, 'scenarios/refund-desk/runs', run, 'events'));
    if (answer.status !== 303 || events.length < 4) throw new Error(`${tree.name}: no approval, but ${answer.status}`);
    serving.child.kill('SIGTERM');
    const { noted } = await serving.ended;
    return { digest: form.digest, operations: noted.operations.filter(({ at }) => at >= from && at <= to) };
  } finally {
    serving.child.kill('SIGKILL');
  }
}
