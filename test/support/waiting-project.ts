/** A project of its own with refund-desk runs that wait at HITL-1, made by the real command line and the offline model. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyFolder, digestAt, lastJson, makeProject, start, tandem } from './cli.ts';
import { shareFolder } from './share-folder.ts';

/**
 * A copy of the one that the whole suite shares. `first` waits with its first design; `second` and `third` wait with the same second one, after ada
 * approved the first.
 */
export async function waitingProject(): Promise<string> {
  return copyOf(await shareFolder('waiting', makeWaitingProject));
}

async function makeWaitingProject(): Promise<string> {
  const project = await makeProject('refund-desk');
  const run = (id: string) =>
    tandem(project, ['run', 'refund-desk', '--profile', 'demo', '--on-gate', 'exit', '--id', id, '--json']);
  await run('first');
  await run('second');
  const runs = join(project, 'scenarios/refund-desk/runs');
  const digest = await digestAt(project, 'second');
  const comment = ['--comment', 'Please mind gift cards: R4 and R9 look close.'];
  await tandem(project, ['gates', 'approve', 'second', '--digest', digest, '--accept', ...comment], { USER: 'ada' });
  const resumed = await tandem(project, ['resume', 'second', '--profile', 'demo', '--on-gate', 'exit', '--json']);
  if (lastJson(resumed)['status'] !== 'awaiting_approval') throw new Error(`no second gate: ${resumed.stderr}`);
  await cp(join(runs, 'second'), join(runs, 'third'), { recursive: true });
  await writeBatch(project, 'nightly', ['first', 'second', 'third', 'fourth']);
  return project;
}

/** All of them are of one batch, whose fourth run has not begun. */
async function writeBatch(project: string, id: string, names: readonly string[]): Promise<void> {
  const runs = names.map((run) => ({ run, scenario: 'refund-desk', dir: `scenarios/refund-desk/runs/${run}` }));
  const batch = { version: 1, id, createdAt: '2026-11-20T09:00:00.000Z', actor: 'user:ada', runs };
  await mkdir(join(project, 'batches'), { recursive: true });
  await writeFile(join(project, 'batches', `${id}.json`), JSON.stringify(batch));
}

/** A fresh copy, so that every story may decide as it likes. */
export function copyOf(project: string): Promise<string> {
  return copyFolder(project, 'tandem-browser-');
}

/** How a run stands now, with what its latest answer says. */
export async function standingOf(project: string, run: string): Promise<{ status: string; comment: string }> {
  const report = JSON.parse((await tandem(project, ['report', run, '--format', 'json'])).stdout) as {
    status: string;
    rounds: { comment: string; decision?: string }[];
  };
  const answered = report.rounds.findLast(({ decision }) => decision !== undefined);
  return { status: report.status, comment: answered?.comment ?? '' };
}

export type Served = { url: string; signIn: string; stop: () => Promise<void> };

/** `tandem serve` as its user has it, on a free port. */
export async function serve(project: string, user = 'ada', ...flags: readonly string[]): Promise<Served> {
  const child = start(project, ['serve', '--listen', '127.0.0.1:0', '--json', ...flags], { USER: user });
  const signIn = await new Promise<string>((settle, fail) => {
    let text = '';
    child.stdout?.on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) settle((JSON.parse(text) as { url: string }).url);
    });
    void child.done.then(({ stderr }) => fail(new Error(`tandem serve ended: ${stderr}`)));
  });
  return {
    url: new URL(signIn).origin,
    signIn,
    stop: async () => {
      child.kill('SIGTERM');
      await child.done;
    },
  };
}

/** Words of the sources, and others that name two kinds of requests more, which the design does not have. */
const GAPS: Record<string, [from: string, to: string][]> = {
  'brief.md': [
    [
      '## Who writes\n',
      '## Who writes\nPeople write about a refund, a warranty extension or a lost card. Some ask for an old vase to be collected. It is a busy desk.\n\n',
    ],
  ],
  'policies/returns.md': [['\n## 5.', '\nAn old vase is collected where a van passes anyway.\n\n## 5.']],
};

/** A run `gaps` waits with a first design in which code finds gaps. */
export async function gapsProject(): Promise<string> {
  const project = await makeProject('refund-desk');
  for (const [path, changes] of Object.entries(GAPS)) {
    const file = join(project, 'scenarios/refund-desk', path);
    let text = await readFile(file, 'utf8');
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${path} says no more: ${from}`);
      text = text.replace(from, to);
    }
    await writeFile(file, text);
  }
  await tandem(project, ['run', 'refund-desk', '--profile', 'demo', '--on-gate', 'exit', '--id', 'gaps']);
  return project;
}
