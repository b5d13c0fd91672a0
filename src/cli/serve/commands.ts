/** Commands that run as servers or set up a project: worker, serve, simulate, doctor, init. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { jsonOption, logFormatOption, logLevelOption, profileOption, unsandboxedOption } from '../options.ts';

export function addServiceCommands(program: Command, call: CommandContext): void {
  addServers(program, call);
  addMcp(program, call);
  addSimulate(program, call);
  addSetup(program, call);
}

function addServers(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('worker')
    .description('work on the runs that were handed over (TANDEM_QUEUE) until it is stopped')
    .addOption(profileOption())
    .option('--init', 'only designs; without any of the three, all')
    .option('--execute', 'only iterations, and samples')
    .option('--samples', 'only samples of iterations, whichever worker holds them')
    .option('--concurrency <n>', 'steps of each kind at the same time', '4')
    .option('--grace <seconds>', 'what running steps get after the first signal; a second signal ends at once', '30')
    .option('--listen <address>', 'health and metrics; port 0 takes a free one', '127.0.0.1:0')
    .option('--metrics-token-file <file>', 'who reads /metrics must bring its token; made when missing')
    .option('--port-file <file>', 'where to write the port')
    .option(
      '--token-file <file>',
      'the same as of tandem serve: links in notices that this worker sends sign people in',
    )
    .addOption(unsandboxedOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .addOption(jsonOption())
    .action((options) => done(import('./worker.ts').then((its) => its.workerCommand(options, { io, signal }))));

  program
    .command('serve')
    .description('the review page: read what waits at HITL-1 in a browser, and decide')
    .option('--work', 'may go on with runs in this process when somebody asks for it on a page')
    .option(
      '--listen <address>',
      'beyond loopback only with reviewers or a proxy in config/reviewers.yaml',
      '127.0.0.1:7420',
    )
    .option(
      '--token-file <file>',
      'stores the token, so that cookies and links survive a restart; created when missing',
    )
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .addOption(jsonOption())
    .action((options) => done(import('./serve.ts').then((its) => its.serveCommand(options, { io, signal }))));
}

function addMcp(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('mcp')
    .description(
      'a server of tools for other agents (docs/mcp.md), on standard input and output: it can decide at no gate',
    )
    .option('--read-only', 'nothing that changes a run or costs money')
    .action((options) => done(import('../mcp/serve-mcp.ts').then((its) => its.mcpCommand(options, { io, signal }))));
}

function addSimulate(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('simulate')
    .description('serve the offline model of a scenario on loopback')
    .argument('<scenario>', 'name in scenarios/, or a path: its simulation/ scripts answer')
    .option('--listen <address>', '127.0.0.1:<port>; port 0 takes a free one', '127.0.0.1:0')
    .option('--port-file <file>', 'where to write the port')
    .option('--latency <ms>', 'how long an answer takes', '0')
    .option('--verbose', 'a line for every request, not only for refused ones')
    .action((scenario, options) =>
      done(import('./simulate.ts').then((its) => its.simulateCommand(scenario, options, { io, signal }))),
    );
}

function addSetup(program: Command, { io, done }: CommandContext): void {
  program
    .command('doctor')
    .description('what is installed, what is missing, and how to get it')
    .option('--store <dir>', 'check this folder as a place for runs')
    .option('--plugins', 'load tandem.config.ts and list what it adds')
    .addOption(profileOption())
    .addOption(jsonOption())
    .action((options) => done(import('./doctor.ts').then((its) => its.doctorCommand(options, io))));

  program
    .command('init')
    .description('make a new scenario folder that runs')
    .argument('<name>')
    .option('--title <title>')
    .option('--agent <command>', 'evaluate an agent that is there, by its command or URL; offline with tandem evaluate')
    .action((name, options) => done(import('./init.ts').then((its) => its.initCommand(name, options, io))));
}
