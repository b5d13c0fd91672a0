/** `tandem verify-components <dir>`: proves tools, checkers and samples without a model, as Execute's own are before a paid call. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { digestOf, makeManifest } from '../adapters/files/manifest.ts';
import { openSandbox } from '../adapters/sandbox/open-sandbox.ts';
import { verifyComponents } from '../evaluation/verify-components.ts';
import { HarnessError } from '../errors.ts';
import { readDesign } from '../pipeline/read-design.ts';
import { count } from '../report/figures.ts';
import { terminalText } from '../report/sanitise.ts';
import { verificationMarkdown } from '../report/verification-markdown.ts';
import type { Design } from '../scenario/design.ts';
import type { Verification } from '../scenario/result.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';

export type VerifyOptions = {
  design?: string | undefined;
  samples: string;
  allowUnsandboxed?: boolean | undefined;
  markdown?: boolean | undefined;
  json?: boolean | undefined;
};

export async function verifyCommand(
  name: string,
  options: VerifyOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const dir = resolve(io.cwd, name);
  const folders: string[] = await readdir(dir).catch(() => []);
  if (!['tools', 'checkers', 'samples'].some((folder) => folders.includes(folder)))
    throw new HarnessError('usage', `${name}: has none of tools/, checkers/ and samples/. Name a components folder.`);
  const samplesWanted = Number(options.samples);
  if (!Number.isInteger(samplesWanted) || samplesWanted < 0)
    throw new HarnessError('usage', `--samples "${options.samples}": expected a whole number.`);
  const design = await designFor(dir, options.design === undefined ? undefined : resolve(io.cwd, options.design));
  const sandbox = await openSandbox({ allowUnsandboxed: options.allowUnsandboxed === true });
  for (const gap of sandbox.gaps) io.err(`sandbox ${sandbox.kind}: ${gap}`);
  const verification = await verifyComponents({ dir, design, samplesWanted, sandbox, signal });
  if (options.json === true) io.out(JSON.stringify(verification));
  else if (options.markdown === true) io.out(verificationMarkdown(verification).join('\n\n'));
  else for (const line of linesOf(verification)) io.out(terminalText(line));
  return verification.ok ? EXIT.met : EXIT.notMet;
}

/** `--design`, else the design that stands beside the folder: in it, or where a run keeps it. */
async function designFor(dir: string, named: string | undefined): Promise<Design> {
  const place = named ?? (await findDesign(dir));
  if (place === undefined)
    throw new HarnessError('usage', `${dir}: no design was found beside it. Name its folder with --design <dir>.`);
  const { parts, problems } = await readDesign(place, place).catch((cause: unknown) => {
    throw new HarnessError('not_found', `${place}: cannot be read as a design folder.`, { cause });
  });
  if (parts === undefined) throw new HarnessError('config_invalid', problems.join('\n'));
  return { round: 1, digest: digestOf(await makeManifest(place, false)), ...parts };
}

async function findDesign(dir: string): Promise<string | undefined> {
  const round = await roundOf(dir);
  const inRun = join(dir, '../../design');
  const rounds = (await readdir(inRun).catch(() => [])).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const last = round === undefined ? rounds.at(-1) : `r${round}`;
  const places = [join(dir, 'design'), ...(last === undefined ? [] : [join(inRun, last)])];
  for (const place of places) {
    if ((await stat(join(place, 'business_rules.yaml')).catch(() => undefined)) !== undefined) return place;
  }
  return undefined;
}

async function roundOf(dir: string): Promise<number | undefined> {
  const text = await readFile(join(dir, 'results.json'), 'utf8').catch(() => '');
  const match = /"round":\s*(\d+)/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

function linesOf({ ok, problems, proofs, coverage }: Verification): string[] {
  const width = Math.max(6, ...proofs.map(({ sample }) => sample.length));
  const yes = (held: boolean): string => (held ? 'yes' : 'NO').padEnd(8);
  return [
    ok ? 'Every component proved itself.' : `${count(problems.length, 'problem')}:`,
    ...problems.map(({ layer, code, component, message }) => `  layer ${layer} ${code} ${component}: ${message}`),
    `${'sample'.padEnd(width)}  gold    nothing wrong   mutants   (gold must pass, the others must fail)`,
    ...proofs.map(({ sample, gold, nothing, wrong, mutants }) =>
      `${sample.padEnd(width)}  ${[gold, nothing, wrong, mutants].map(yes).join('')}`.trimEnd(),
    ),
    ...Object.entries(coverage).map(
      ([rule, { samples, checkers }]) => `${rule}: ${samples.length} samples; ${checkers.join(', ') || 'no checker'}`,
    ),
  ];
}
