/** `tandem sessions …`: lists the conversations of all runs, and acts on them. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { jsonOption, profileOption } from '../options.ts';

export function addSessionCommands(program: Command, call: CommandContext): void {
  const { io, done } = call;
  const sessions = program
    .command('sessions')
    .description("the agents' conversations of all runs: list, show, clean, export");
  addSessionCommand(program, call);
  sessions
    .command('list')
    .description('one line a session: state, age, messages, calls, compactions, tokens, cost, workspace')
    .option('--lanes', "sub-agents' lanes too")
    .option('--limit <n>', 'the newest so many runs; default: 50')
    .addOption(jsonOption())
    .action((options) => done(import('./sessions.ts').then((its) => its.listSessions(options, io))));
  sessions
    .command('show')
    .description('the state that a session has come to')
    .argument('<session>', '<run>, <run>/<agent> or <run>/<agent>/<lane>')
    .addOption(jsonOption())
    .action((session, options) => done(import('./sessions.ts').then((its) => its.showSession(session, options, io))));
  sessions
    .command('clean')
    .description(
      'free what runs that ended long ago left in their workspaces; nothing that a report, fork or verify needs',
    )
    .option('--older-than <age>', 'ended so long ago, such as 36h; default: 7d')
    .option('--dry-run', 'only say what it would free')
    .addOption(jsonOption())
    .action((options) => done(import('./clean.ts').then((its) => its.cleanSessions(options, io))));
  sessions
    .command('export')
    .description("a person's session as one file of JSON")
    .argument('<session>', 'what tandem session calls it; last: the newest')
    .option('--format <format>', 'json, which is the default')
    .option('--out <file>', 'default: standard output')
    .action((session, options) =>
      done(import('../session/terminal-session.ts').then((its) => its.exportCommand(session, options, io))),
    );
}

/** Adds `tandem session`, the conversation itself. */
function addSessionCommand(program: Command, { io, done, signal }: CommandContext): void {
  program
    .command('session')
    .description('talk with an agent: its own workspace, budget and record; goes on when killed')
    .argument('[agent]', 'a folder of agents/; default: session')
    .option('--run <run>', 'the files of this run, to read')
    .option('--steer', 'with -p: words for the agent at work in --run, before its next call; never at a gate')
    .option('--resume <session>', 'go on with a session; last: the newest')
    .option('-p, --print <text>', 'one message, one answer, then exit')
    .option('--stream', 'with -p: a JSON value a line for each thing as it happens, the answer last')
    .option('--model <id>', 'instead of the model of the agent')
    .option('--policy <name>', 'context policy: a file of config/context')
    .option('--budget <usd>', 'what the session may spend in all')
    .addOption(profileOption())
    .addOption(jsonOption())
    .action((agent, options) =>
      done(import('../session/session.ts').then((its) => its.sessionCommand(agent, options, { io, signal }))),
    );
}
