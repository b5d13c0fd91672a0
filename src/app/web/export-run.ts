/** Exports the results of one run or evaluation as a folder of files: every page is requested from the review server without a socket. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Reviewers } from '../../config/reviewers.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { sha256 } from '../../disk/sha256.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { ProjectDeps } from '../open-store.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Review } from '../../web/create-review.ts';
import { evaluationKey, type ListedEvaluation } from '../../web/web-deps.ts';
import { STATIC_STYLE, staticAddress, staticPage } from '../../web/static-page.ts';
import { openReview } from './open-review.ts';

const HOST = 'static.invalid';
const INDEX = 'index.html';
const MAX_NAME = 100;
const UNLIMITED = 1e9;

export type ExportTarget = { what: RunFolder | ListedEvaluation; read: ProjectDeps; project: string; out: string };

/** Contract: `usage` when the folder exists and is not empty; the export appears atomically. */
export async function exportRun(
  { what, read, project, out }: ExportTarget,
  onPage: (pages: number) => void,
): Promise<{ pages: number }> {
  const found = await valueOnErrno('ENOENT', [], readdir(out));
  if (found.length > 0) throw usageError(`${out} is not empty: name another folder with --out.`);
  const token = randomBytes(24).toString('hex');
  const review = createReview({ what, read, project }, token);
  const draft = `${out}.new-${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await writeFile(join(draft, STATIC_STYLE.file), STATIC_STYLE.body);
    const root = `/runs/${encodeURIComponent('journal' in what ? what.id : evaluationKey(what))}`;
    const first = 'journal' in what ? root : `${root}/results`;
    const pages = await writePages({ review, token, root, first, draft }, onPage);
    await mkdir(dirname(out), { recursive: true });
    await rename(draft, out);
    return { pages };
  } finally {
    review.close();
    await rm(draft, { recursive: true, force: true });
  }
}

/** Creates a server that knows only this run or evaluation, and a reader who may decide nothing. */
function createReview({ what, read, project }: Omit<ExportTarget, 'out'>, token: string): Review {
  const run = 'journal' in what ? what : undefined;
  const only = () => Promise.resolve(run === undefined ? [] : [{ id: run.id, scenario: run.scenario, dir: run.dir }]);
  const open = (name: string) => (run === undefined ? read.store.open(name) : Promise.resolve(run));
  const store = { ...read.store, list: only, folders: only, open };
  const evaluations = { list: () => Promise.resolve('journal' in what ? [] : [what]) };
  const reader = { name: 'export', role: 'viewer', token_sha256: sha256(token) };
  return openReview({
    ...{ project, read: { ...read, store }, evaluations, secret: token, local: undefined, hosts: [HOST] },
    reviewers: Reviewers.parse({ version: 1, reviewers: [{ name: 'nobody' }, reader] }),
    limits: { requests: UNLIMITED, decisions: 0, signIns: UNLIMITED },
    log: (line) => {
      throw new HarnessError('infrastructure', line);
    },
  });
}

type CrawlOptions = { review: Review; token: string; root: string; first: string; draft: string };

async function writePages(
  { review, token, root, first, draft }: CrawlOptions,
  onPage: (pages: number) => void,
): Promise<number> {
  const files = new Map<string, string>([[first, INDEX]]);
  const taken = new Set<string>([INDEX, STATIC_STYLE.file]);
  const fileOf = (link: string): string | undefined => {
    const address = staticAddress(root, link);
    if (address === undefined) return undefined;
    const known = files.get(address) ?? nameFor(address.slice(root.length + 1), taken);
    files.set(address, known);
    return known;
  };
  let pages = 0;
  // The map grows while it is walked, because each page adds the pages that it links to.
  for (const [address, file] of files) {
    const headers = { host: HOST, authorization: `Bearer ${token}` };
    const answer = await review.app.request(`http://${HOST}${address}`, { headers });
    if (answer.status !== 200) throw new HarnessError('data_corrupt', `${address}: ${await readReason(answer)}`);
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
    const body = isPage ? staticPage(await answer.text(), fileOf) : new Uint8Array(await answer.arrayBuffer());
    await writeFile(join(draft, file), body);
    pages += 1;
    onPage(pages);
  }
  return pages;
}

/** The error is in the text of the page. */
async function readReason(answer: Response): Promise<string> {
  const text = (await answer.text()).replaceAll(/[\s\S]*<main[^>]*>|<\/main>[\s\S]*|<[^>]*>/g, ' ');
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Makes a readable and unique file name, also where a file system ignores case. */
function nameFor(place: string, taken: Set<string>): string {
  const base = decodeURIComponent(place)
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, MAX_NAME);
  const ending = /\/images\/[0-9a-f]{64}$/.test(place) ? '' : /\/calls\/\d+\/\w+$/.test(place) ? '.txt' : '.html';
  for (let number = 1; ; number += 1) {
    const name = `${base}${number === 1 ? '' : `-${number}`}${ending}`;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}
