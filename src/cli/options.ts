/** Options that several commands share; each call creates a new one, because a command stores its values in them. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { OVERLAPS, PRIORITIES } from '../ports/job-queue.ts';
import { SANDBOXES, describeBadSandbox } from '../ports/sandbox.ts';

/** Collects the values of an option that may be given several times. */
export const appendValue = (one: string, before: string[] = []): string[] => [...before, one];
export const onGateOption = () =>
  new Option(
    '--on-gate <how>',
    'when HITL-1 opens: exit | wait | prompt | auto:demo (auto only while the model is on loopback)',
  );
/** Named twice it is refused with a sentence, and not silently the last one. */
export const subjectOption = () =>
  new Option(
    '--subject <who>',
    'a YAML file instead of the scenario’s subject, or gold: every gold path, without a model',
  ).argParser((value: string, others: string[] | undefined) => [...(others ?? []), value]);
export const collectGatesOption = () =>
  new Option('--gates <how>', 'collect: design every scenario, and leave all gates to one page; go on by --resume')
    .choices(['collect'])
    .conflicts('onGate');
export const jsonOption = () => new Option('--json', 'one JSON value as the last line of standard output');
export const profileOption = () => new Option('--profile <name>', 'a file of config/profiles: demo, seed, …');
export const policyOption = () =>
  new Option('--policy <name>', 'context policy of both agents, with its own numbers: a file of config/context');
export const unsandboxedOption = () =>
  new Option('--allow-unsandboxed', 'run generated code even where it cannot be fully confined');
export const sandboxOption = () =>
  new Option('--sandbox <kind>', 'sandbox for generated code; default: the best available')
    .choices(SANDBOXES)
    .argParser((name) => {
      const found = SANDBOXES.find((one) => one === name);
      if (found === undefined) throw new InvalidArgumentError(`${describeBadSandbox(name)}.`);
      return found;
    });

export const priorityOption = () =>
  new Option('--priority <which>', 'among the runs that wait for workers (TANDEM_QUEUE); default: normal').choices(
    PRIORITIES,
  );
export const overlapOption = () =>
  new Option(
    '--overlap <how>',
    'of --cron, while an earlier batch of it has not ended: allow both, skip the new one, queue it, or cancel the old one; default: queue',
  ).choices(OVERLAPS);
export const whereOption = () =>
  new Option('--where <terms>', "runs by 'label.team=x state=errored older=2d'; all terms must hold");
export const maxMinutesOption = () =>
  new Option('--max-minutes <n>', 'begin nothing new after so long, keep the state, end with exit code 7');
export const timeoutOption = () =>
  new Option('--timeout <duration>', 'how long --on-gate wait waits, such as 45m; then exit code 4');
export const gateExitCodeOption = () => new Option('--gate-exit-code <n>', 'exit code while a gate waits; default: 4');
export const ciOption = () =>
  new Option('--ci', 'report to a CI system: JUnit, outputs, step summary, annotations; docs/ci.md');
export const sarifOption = () => new Option('--sarif <file>', 'write the failures there for code scanning');
export const junitOption = () => new Option('--junit <file>', 'write the JUnit report there too');
export const baselineOption = () =>
  new Option('--baseline <run>', 'fail only when worse than this run or blessed file by more than chance');
export const recordOption = () => new Option('--record <dir>', 'write down all model traffic');
export const replayOption = () =>
  new Option('--replay <dir>', 'answer every model call from a recording: no network, no cost');

export const logFormatOption = () =>
  new Option('--log-format <format>', 'lines of a log on standard error: text or json');
export const logLevelOption = () =>
  new Option('--log-level <level>', 'the least that is logged: debug, info, warn or error');
