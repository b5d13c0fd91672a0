/** `tandem verify-components <dir>`: proves tools, checkers and samples without a model, as Execute's own are. */
import { resolve, join } from 'node:path';
import { findRegressions } from '../../evaluation/proof/strength/find-regressions.ts';
import { USUAL_BUDGET } from '../../evaluation/proof/strength/measure-strength.ts';
import { verifyComponents } from '../../evaluation/proof/verify-components.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { describeJudges, provedText, verificationMarkdown } from '../../report/run/verification-markdown.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { computeScore, ProofStrength } from '../../scenario/proof-strength.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import { listRuleJudges } from '../../scenario/unproven-rules.ts';
import { designFor, namedComponents } from './read-iteration.ts';
import { type Call, type BooleanFlags, type TextFlags, EXIT } from '../command-context.ts';
import { parseOptionalShare, parseWholeNumber } from '../parse-numbers.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { readNamedText } from '../../disk/read-named-file.ts';
import { HarnessError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { STRENGTH_FILE } from '../../run/layout.ts';
import { shareText, strengthSentence, unmeasuredText, weakestFirst } from '../../report/run/strength-texts.ts';

export type VerifyOptions = SandboxFlags &
  TextFlags<'design' | 'minStrength' | 'baseline'> &
  BooleanFlags<'markdown' | 'json'> & { samples: string; seconds: string };

const MOST_ALIKE = 2;

export async function verifyComponentsCommand(
  name: string,
  options: VerifyOptions,
  { io, signal }: Call,
): Promise<number> {
  const dir = await namedComponents(name, io);
  if (dir !== resolve(io.cwd, name)) io.err(`Components: ${dir}`);
  const samplesWanted = parseWholeNumber('--samples', options.samples, { least: 0 });
  const design = await designFor(dir, options.design === undefined ? undefined : resolve(io.cwd, options.design));
  const sandbox = await sandboxOver(dir, options, io);
  const least = parseOptionalShare('--min-strength', options.minStrength);
  const seconds = parseWholeNumber('--seconds', options.seconds, { least: 0 });
  const earlier =
    options.baseline === undefined ? undefined : await readEarlierProof(resolve(io.cwd, options.baseline));
  const budget = seconds === 0 ? {} : { strength: { ...USUAL_BUDGET, seconds } };
  const proved = await verifyComponents({ dir, design, samplesWanted, sandbox, signal, ...budget });
  const verification = withRegressions(proved, earlier);
  if (options.json === true) io.out(JSON.stringify(verification));
  else if (options.markdown === true) io.out(verificationMarkdown(verification).join('\n\n'));
  else for (const line of verificationLines(verification)) io.out(terminalText(line));
  const weakness = weaknessIn(verification, least, earlier !== undefined);
  if (weakness !== undefined) io.err(weakness);
  return verification.ok && weakness === undefined ? EXIT.met : EXIT.notMet;
}

function withRegressions(verification: Verification, earlier: ProofStrength | undefined): Verification {
  const { strength } = verification;
  if (strength === undefined || earlier === undefined) return verification;
  return { ...verification, strength: { ...strength, regressions: findRegressions(strength, earlier) } };
}

/** Says why a proof that holds is still too weak. */
function weaknessIn(
  { ok, strength }: Verification,
  least: number | undefined,
  isCompared: boolean,
): string | undefined {
  if (!ok || (least === undefined && !isCompared)) return undefined;
  if (strength === undefined) return 'The strength was not measured: --seconds 0 leaves no time for it.';
  const { regressions = [], all, untried } = strength;
  if (regressions.length > 0)
    return `${formatCount(regressions.length, 'fault')} that the earlier proof caught survive now.`;
  if (least === undefined || computeScore(all) >= least) return undefined;
  const late = untried === 0 ? '' : ` ${formatCount(untried, 'change')} were not tried: give it more --seconds.`;
  return `The strength of the proof is ${formatPercent(computeScore(all))}; --min-strength wants ${formatPercent(least)}.${late}`;
}

function verificationLines(verification: Verification): string[] {
  const { ok, problems, proofs, words = [], coverage, strength } = verification;
  const width = Math.max(6, ...proofs.map(({ sample }) => sample.length));
  const by = listRuleJudges(verification);
  const yes = (held: boolean): string => (held ? 'yes' : 'NO').padEnd(8);
  return [
    ok ? provedText(verification) : `${formatCount(problems.length, 'problem')}:`,
    ...problemLines(problems),
    `${'sample'.padEnd(width)}  gold    nothing wrong   mutants   (gold must pass, the others must fail)`,
    ...proofs.map(({ sample, gold, nothing, wrong, mutants }) =>
      `${sample.padEnd(width)}  ${[gold, nothing, wrong, mutants].map(yes).join('')}`.trimEnd(),
    ),
    ...words.map(({ rule, proven, why }) => `${rule}, consent: ${proven ? 'proven' : 'NOT PROVEN'}: ${why}`),
    ...Object.entries(coverage).map(([rule, { samples, checkers }]) => {
      const judges = describeJudges(by[rule]);
      const named = checkers.length === 0 ? '' : ` (${checkers.join(', ')})`;
      return `${rule}: ${formatCount(samples.length, 'sample')}; judged by ${judges}${named}`;
    }),
    ...(strength === undefined ? [] : strengthLines(strength)),
  ];
}

/** One broken tool fails many samples, so only the first problems are listed for a person. */
function problemLines(problems: readonly Problem[]): string[] {
  const alike = Map.groupBy(problems, ({ layer, code, component }) => `layer ${layer} ${code} ${component}`);
  return [...alike].flatMap(([head, own]) => {
    const rest = own.length - MOST_ALIKE;
    return [
      ...own.slice(0, MOST_ALIKE).map(({ message }) => `  ${head}: ${message}`),
      ...(rest > 0 ? [`  ${head}: … and ${rest} more of this kind; --json lists them all`] : []),
    ];
  });
}

const Printed = z.looseObject({ strength: ProofStrength });

/** Throws `not_found` when there is no proof, `data_corrupt` when its strength cannot be read or compared. */
async function readEarlierProof(path: string): Promise<ProofStrength> {
  const found = await stat(path).catch(() => undefined);
  const file = found?.isDirectory() === true ? join(path, STRENGTH_FILE) : path;
  const value = parseJson(await readNamedText(file));
  const strength = ProofStrength.safeParse(value).data ?? Printed.safeParse(value).data?.strength;
  if (strength?.verdicts === undefined)
    throw new HarnessError(
      'data_corrupt',
      `${file}: is no measured proof to compare with. Name what verify-components --json printed, or a ${STRENGTH_FILE}.`,
    );
  return strength;
}

const MOST_LISTED = 30;

/** Formats the strength of a proof for a terminal: numbers, findings, regressions, survivors by rule and line. */
function strengthLines(strength: ProofStrength): string[] {
  const { rules, tools, findings, survivors, survived, regressions } = strength;
  const left = unmeasuredText(strength);
  const shares = [...weakestFirst(rules), ...weakestFirst(tools)].map(
    ([name, share]) => `  ${name}: ${shareText(share)}`,
  );
  return [
    `Strength of the proof: ${strengthSentence(strength)}.`,
    ...(left === undefined ? [] : [`  ${left}.`]),
    ...shares,
    ...(findings.length === 0 ? [] : ['To look at (this refuses nothing):']),
    ...findings.map(({ code, message }) => `  ${code}: ${message}`),
    ...(survived === 0 ? [] : [`${survived} faults survive:`]),
    ...survivors
      .slice(0, MOST_LISTED)
      .map((one) => `  ${one.rules.join(', ')}${one.rules.length === 0 ? '' : ': '}${one.message}`),
    ...(survivors.length > MOST_LISTED ? [`  … and ${survived - MOST_LISTED} more; --json lists them all`] : []),
    ...regressionLines(regressions),
  ];
}

function regressionLines(regressions: ProofStrength['regressions']): string[] {
  if (regressions === undefined) return [];
  if (regressions.length === 0) return ['Nothing that was caught before survives now.'];
  return ['Weaker than before:', ...regressions.map(({ code, message }) => `  ${code}: ${message}`)];
}
