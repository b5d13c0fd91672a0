/** The commands around evaluation: rejudge, rerun, verify-components, plan, statistics, compare, bless, import and export. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import {
  ciOption,
  jsonOption,
  junitOption,
  sarifOption,
  profileOption,
  sandboxOption,
  subjectOption,
  unsandboxedOption,
} from '../options.ts';

export function addEvaluationCommands(program: Command, call: CommandContext): void {
  addJudging(program, call);
  addPlaying(program, call);
  addLabelling(program, call);
  addComparing(program, call);
  addExchange(program, call);
}

function addJudging(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('rejudge')
    .description('judge recorded runs again, without a model, and compare: our own, or of tau-bench and tau2-bench')
    .argument('<what...>', 'a run, an iteration, traces; or rows and result files of the benchmarks; plain or gzipped')
    .option('--scenario <dir>', 'judge our own traces by these components; default: those next to the traces')
    .option('--design <dir>', 'the design of --scenario; default: the one next to it')
    .option('--iteration <n>', 'of a run; default: the last one')
    .option('--other-design', 'judge also what was recorded under another design')
    .addOption(sandboxOption())
    .addOption(unsandboxedOption())
    .addOption(jsonOption())
    .action((names, options) =>
      done(import('./rejudge.ts').then((its) => its.rejudgeCommand(names, options, { io, signal }))),
    );
  program
    .command('rerun')
    .description('play a recorded trial again from its trace, without a model; exit code 1 when it fails')
    .argument('<run>', 'id, beginning of an id, or folder')
    .argument('<sample>', 'its id')
    .option('--iteration <n>', 'default: the last one')
    .option('--trial <n>', 'default: the first that failed')
    .option('--components <dir>', 'other tools, checkers and samples than those of the iteration')
    .addOption(sandboxOption())
    .addOption(unsandboxedOption())
    .addOption(jsonOption())
    .action((run, sample, options) =>
      done(import('./trace.ts').then((its) => its.rerunCommand({ run, sample }, options, { io, signal }))),
    );
  program
    .command('trace')
    .description(
      'one trial as it happened: words, calls, time, tokens, cost; --raw: what each model was sent and answered',
    )
    .argument('<run>', 'a run, the folder of an iteration, or a results file')
    .argument('<sample>', 'its id')
    .option('--iteration <n>', 'default: the last one with results')
    .option('--trial <n>', 'default: the first that failed')
    .option('--raw', 'the request and the answer of every model call; with --json byte for byte')
    .option('--call <n>', 'of one model call')
    .addOption(jsonOption())
    .action((run, sample, options) =>
      done(import('./trace.ts').then((its) => its.traceCommand({ run, sample }, options, io))),
    );
}

function addPlaying(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('evaluate')
    .description(
      'play components that are there already by the scenario’s subject, without an agent; goes on when killed',
    )
    .argument('<scenario>', 'name in scenarios/, or a path')
    .option(
      '--components <dir>',
      'tools, checkers and samples; default: those of its last run, or as they were imported',
    )
    .option('--design <dir>', 'the design they belong to; default: the one next to them')
    .option('--out <dir>', 'default: evaluations/<n> in the folder of the scenario')
    .addOption(subjectOption())
    .option(
      '--version-of <file|text>',
      'what else the subject’s answers depend on, such as its folder, or "$(git rev-parse HEAD)"; when it changes, nothing of before is used',
    )
    .option('--limit <n>', 'at most so many samples, the first by their ids')
    .option('--trials <n>', 'trials of each sample, at most 1,000, in place of what the scenario says')
    .option('--proven-only', 'leave out samples that do not prove themselves; default: play nothing then')
    .option('--max-usd <amount>', 'begin no trial once so much is spent, and end with exit code 5; default: budget_usd')
    .addOption(ciOption())
    .addOption(junitOption())
    .addOption(sarifOption())
    .addOption(profileOption())
    .addOption(sandboxOption())
    .addOption(unsandboxedOption())
    .addOption(jsonOption())
    .action((scenario, options) =>
      done(import('./evaluate.ts').then((its) => its.evaluateCommand(scenario, options, { io, signal }))),
    );
  program
    .command('verify-components')
    .description('prove tools, checkers and samples without a model')
    .argument('<dir>', 'a folder with tools/, checkers/ and samples/')
    .option('--design <dir>', 'the design they belong to; default: the one next to them')
    .option('--samples <n>', 'samples that there must be at least', '0')
    .option('--min-strength <share>', 'fail when the proof notices less, such as 0.9')
    .option('--baseline <file>', 'fail when a fault survives that was caught in this earlier --json, or iteration')
    .option('--seconds <n>', 'most time for measuring the strength; 0 leaves it out', '20')
    .addOption(sandboxOption())
    .addOption(unsandboxedOption())
    .option('--markdown', 'the same as Markdown')
    .addOption(jsonOption())
    .action((dir, options) =>
      done(import('./verify-components.ts').then((its) => its.verifyComponentsCommand(dir, options, { io, signal }))),
    );
}

function addLabelling(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('label')
    .description(
      'answer the questions of graders yourself, without seeing what they said; shows how far they agree with people',
    )
    .argument('<run>', 'a run, the folder of an iteration, or a results file')
    .option('--iteration <n>', 'default: the last one with results')
    .option('--grader <id>', 'the question of this one alone')
    .option('--list', 'what is open for you')
    .option('--mark <sample.trial>', 'answer for one trial, with --as and --reason')
    .option('--as <verdict>', 'pass | fail')
    .option('--reason <text>', 'why')
    .option('--report', 'only how far the graders agree with people')
    .option('--export <file>', 'all labels of the scenario as JSON lines, with their part; - is standard output')
    .addOption(jsonOption())
    .action((run, options) => done(import('./label.ts').then((its) => its.labelCommand(run, options, { io, signal }))));
}

function addComparing(program: Command, { io, done }: CommandContext): void {
  const plan = program.command('plan').description('plan an evaluation before it is paid');
  plan
    .command('samples')
    .exitOverride()
    .description('how many samples and passes a target needs')
    .requiredOption('--target <share>', 'the rate that the lower bound must reach, such as 0.85')
    .addOption(jsonOption())
    .action((options) => done(import('./statistics.ts').then((its) => its.planSamplesCommand(options, io))));
  program
    .command('statistics')
    .description('rates with intervals, pass^k and flips, by category, rule, layer and tool')
    .argument('<run>', 'a run, the folder of an iteration, or a results file')
    .option('--iteration <n>', 'default: the last one with results')
    .addOption(jsonOption())
    .action((run, options) => done(import('./statistics.ts').then((its) => its.statisticsCommand(run, options, io))));
  program
    .command('bless')
    .description('hold later runs to the results of this one; only ever done by a person')
    .argument('<run>', 'a run, the folder of an iteration, or a results file')
    .option('--iteration <n>', 'default: the last one with results')
    .option('--comment <text>', 'why')
    .option(
      '--rolling <n>',
      'add them to the last n results of a branch, against which a sample is red only when it was reliable',
    )
    .option('--owner <who>', 'of samples that become unreliable and are set aside; default: you')
    .option('--out <file>', 'default: scenarios/<name>/baseline.json')
    .addOption(jsonOption())
    .action((run, options) => done(import('./compare.ts').then((its) => its.blessCommand(run, options, io))));
  program
    .command('compare')
    .description('results against the blessed baseline, sample by sample; exit code 1 on a regression')
    .argument('<run>', 'a run, the folder of an iteration, or a results file')
    .argument('[others...]', 'more of them: each is compared with the first')
    .option('--baseline <file>', 'default: scenarios/<name>/baseline.json')
    .option('--iteration <n>', 'default: the last one with results')
    .option('--fail-on <what>', 'regression | soft | never', 'regression')
    .addOption(ciOption())
    .addOption(junitOption())
    .addOption(sarifOption())
    .addOption(jsonOption())
    .action((run, others, options) =>
      done(import('./compare.ts').then((its) => its.compareCommand(run, { ...options, others }, io))),
    );
}

function addExchange(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('import')
    .description('recordings and suites of other harnesses in our own form, with a list of what is missing')
    .argument('<format>', 'promptfoo | inspect | traces')
    .argument('<source>', 'a file; for traces also a folder')
    .option('--name <slug>', 'name of the folder; default: from the source')
    .option('--out <dir>', 'default: imported/<name>')
    .option('--scorer <name>', 'whose score counts in an Inspect log; default: all of them must pass')
    .option('--for <name>', 'the scenario, run or folder of components for which traces propose samples')
    .addOption(sandboxOption())
    .addOption(unsandboxedOption())
    .addOption(jsonOption())
    .action((format, source, options) =>
      done(
        import('../interop/import.ts').then((its) => its.importCommand({ format, source }, options, { io, signal })),
      ),
    );
  program
    .command('export')
    .description('the results for other tools, or as a folder of pages that needs no server')
    .argument('<format>', 'inspect (a log for its viewer) | jsonl (one trial a line) | folder (the whole run)')
    .argument('<run>', 'a run, the folder of an iteration, or a results file')
    .option('--iteration <n>', 'default: the last one with results')
    .option('--out <path>', 'default: standard output')
    .action((format, run, options) =>
      done(import('../interop/export.ts').then((its) => its.exportCommand({ format, run }, options, io))),
    );
}
