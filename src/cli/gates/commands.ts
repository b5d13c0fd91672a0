/** `tandem gates …`: HITL-1 from the command line. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../call.ts';
import { json, profile } from '../options.ts';

export function addGateCommands(program: Command, { io, done, signal }: CommandContext): void {
  const gates = program.command('gates').description('HITL-1: see what waits, read it, decide');
  gates
    .command('list')
    .description('all gates that wait for a decision, oldest first')
    .option('--batch <batch>', 'only those of this batch, and which of them read the same')
    .addOption(json())
    .action(async ({ batch, ...options }) =>
      done(
        batch === undefined
          ? await (await import('./gates.ts')).listGates(options, io)
          : await (await import('../batch/gates.ts')).listBatchGates(batch, options, io),
      ),
    );
  gates
    .command('show')
    .description('what the reviewer is shown: changes, checks, cost, questions')
    .argument('<run>')
    .argument('[gate]', 'such as HITL-1.r2; default: the newest')
    .option('--diff', 'the full diff of the design files')
    .option('--markdown', 'the same as Markdown')
    .addOption(json())
    .action(async (run, gate, options) => done(await (await import('./gates.ts')).showGate(run, gate, options, io)));
  gates
    .command('review')
    .description('go through what waits on one screen, with the keys of the page')
    .argument('[run]', 'only this run')
    .action(async (run) => done(await (await import('./review-gates.ts')).reviewGates(run, io, signal)));
  gates
    .command('approve')
    .description('Execute may build this design')
    .argument('[run]')
    .option('--digest <digest>', 'the design that you read: at least its first 12 characters')
    .option('--gate <gate>', 'such as HITL-1.r2; default: the newest')
    .option('--comment <text>', 'goes to the agents, on approve too')
    .option('--nonce <word>', 'the same nonce gives the same answer again')
    .option('--batch <batch>', 'and every other gate of this batch where you would read exactly the same')
    .option('--same-as <run>', 'with --batch: the run whose gate you read, instead of [run]')
    .addOption(json())
    .action(async (run, { batch, sameAs, ...options }) =>
      done(
        batch === undefined
          ? await (await import('./gates.ts')).decideAtGate(run, 'approve', options, io)
          : await (await import('../batch/gates.ts')).approveBatch(batch, sameAs ?? run, options, io),
      ),
    );
  gates
    .command('stats')
    .description('how decisions are made: time on the page, approvals under 5 s, approved designs that came back')
    .addOption(json())
    .action(async (options) => done(await (await import('./stats.ts')).gateStats(options, io)));
  gates
    .command('undo')
    .description('take your decision back; possible until the next step makes its first paid call')
    .argument('<gate>', 'a run, or a gate with its run such as 20261120-101500-a1b2c3.HITL-1.r2')
    .option('--gate <gate>', 'such as HITL-1.r2; default: the newest')
    .option('--whose <reviewer>', 'for owners: whose decision')
    .option('--comment <text>', 'why; stands in the journal and in the notices')
    .addOption(json())
    .action(async (gate, options) => done(await (await import('./undo.ts')).undoAtGate(gate, options, io)));
  for (const [name, decision, does] of [
    ['request-changes', 'request_changes', 'Init must change the design; --comment says what'],
    ['reject', 'reject', 'ends the run'],
  ] as const) {
    gates
      .command(name)
      .description(does)
      .argument('<run>')
      .option('--digest <digest>', 'the design that you read: at least its first 12 characters')
      .option('--gate <gate>', 'such as HITL-1.r2; default: the newest')
      .option('--comment <text>', 'goes to the agents, on approve too')
      .option('--nonce <word>', 'the same nonce gives the same answer again')
      .addOption(json())
      .action(async (run, options) =>
        done(await (await import('./gates.ts')).decideAtGate(run, decision, options, io)),
      );
  }
  program
    .command('chat')
    .description('question Init about a design; kept with the run, paid from its budget, changes nothing')
    .argument('<run>')
    .option('--message <text>', 'one question, one answer; without it lines are typed')
    .option('--gate <gate>', 'such as HITL-1.r2; default: the newest')
    .addOption(profile())
    .addOption(json())
    .action(async (run, options) =>
      done(await (await import('../chat/chat.ts')).chatCommand(run, options, io, signal)),
    );
}
