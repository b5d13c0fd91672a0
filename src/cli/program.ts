/** Builds the tree of all commands for parsing, help and the command reference. */
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { join } from 'node:path';
import { packageFolder, packageVersion } from '../own-file.ts';
import { type CommandContext, EXIT, EXIT_MEANS } from './command-context.ts';
import { EXAMPLES, exampleLines } from './examples.ts';

type CommandGroup = { title: string; names: string; add: (to: Command, call: CommandContext) => Promise<void> };

/** Loads the group with the called command, or all groups for help and unknown names. */
const GROUPS: readonly CommandGroup[] = [
  {
    title: 'Runs:',
    names: 'run validate batch resume status report pause cancel fork verify upgrade-check',
    add: async (to, call) => (await import('./run/commands.ts')).addRunCommands(to, call),
  },
  {
    title: 'The human gate:',
    names: 'gates chat notices',
    add: async (to, call) => (await import('./gates/commands.ts')).addGateCommands(to, call),
  },
  {
    title: 'Contexts and sessions:',
    names: 'context',
    add: async (to, call) => (await import('./context/commands.ts')).addContextCommands(to, call),
  },
  {
    title: 'Evaluations:',
    names: 'trace rejudge rerun evaluate verify-components label plan statistics bless compare import export',
    add: async (to, call) => (await import('./evaluate/commands.ts')).addEvaluationCommands(to, call),
  },
  {
    title: 'Servers and setup:',
    names: 'worker serve mcp simulate doctor init',
    add: async (to, call) => (await import('./serve/commands.ts')).addServiceCommands(to, call),
  },
  {
    title: 'Servers and setup:',
    names: 'queue',
    add: async (to, call) => (await import('./queue/commands.ts')).addQueueCommands(to, call),
  },
  {
    title: 'Servers and setup:',
    names: 'store copy',
    add: async (to, call) => (await import('./store/commands.ts')).addStoreCommands(to, call),
  },
  {
    title: 'Old runs:',
    names: 'runs',
    add: async (to, call) => (await import('./runs/commands.ts')).addRunsCommands(to, call),
  },
  {
    title: 'Contexts and sessions:',
    names: 'session sessions',
    add: async (to, call) => (await import('./sessions/commands.ts')).addSessionCommands(to, call),
  },
];

/** The names that may follow `tandem` on a command line. */
export const COMMAND_NAMES: readonly string[] = GROUPS.flatMap(({ names }) => names.split(' '));

/** The commands of somebody's first week, in its order; `--help --all` has every one. */
const FIRST_COMMANDS = ['init', 'validate', 'run', 'gates', 'resume', 'serve', 'evaluate', 'compare', 'doctor'];

type ProgramOutput = { shown: (text: string) => string; wanted?: string | undefined; isBrief?: boolean };

/** Loads only the group of `wanted` if one has it; `shown` transforms help texts before they are printed. */
export async function buildProgram(call: CommandContext, { shown, wanted, isBrief }: ProgramOutput): Promise<Command> {
  const program = new Command('tandem')
    .description('Two agents build and run an evaluation of a third, behind a human gate.')
    .version(packageVersion())
    .showHelpAfterError('(tandem --help --all lists all commands)')
    .configureOutput({
      writeOut: (text) => void process.stdout.write(shown(text)),
      writeErr: (text) => void process.stderr.write(shown(text)),
    })
    .exitOverride()
    .addHelpText('after', EPILOGUE);
  const called = GROUPS.filter(({ names }) => names.split(' ').includes(wanted ?? ''));
  const isVersion = wanted === '--version' || wanted === '-V';
  for (const { title, add } of called.length > 0 || isVersion ? called : GROUPS)
    await add(program.commandsGroup(title), call);
  for (const command of program.commands) addExamples(command);
  if (isBrief === true) showFirstCommands(program);
  return program;
}

function showFirstCommands(program: Command): void {
  for (const command of program.commands) command.helpGroup('Commands (--help --all lists the rest):');
  const visibleCommands = () => FIRST_COMMANDS.flatMap((name) => program.commands.filter((one) => one.name() === name));
  program.configureHelp({ visibleCommands });
}

function addExamples(command: CommandUnknownOpts): void {
  const path = getCommandPath(command);
  command.showHelpAfterError(`(tandem ${path} --help says how it is written)`);
  if (EXAMPLES[path] !== undefined) command.addHelpText('after', ['', 'Examples:', ...exampleLines(path)].join('\n'));
  for (const inner of command.commands) addExamples(inner);
}

/** Returns the path without the program name, such as `gates approve`. */
export function getCommandPath(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent === null ? '' : `${getCommandPath(parent)} ${command.name()}`.trim();
}

const EPILOGUE = `
Examples:
${exampleLines('').join('\n')}

Exit codes: ${Object.entries(EXIT)
  .map(([name, code]) => `${code} ${EXIT_MEANS[name as keyof typeof EXIT]}`)
  .join('\n            ')}

More: the pages in ${join(packageFolder(), 'docs/README.md')}`;
