/** `tandem gates …`: HITL-1 from the command line. */
import { Option, type Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { jsonOption, profileOption } from '../options.ts';

export function addGateCommands(program: Command, context: CommandContext): void {
  const gates = program.command('gates').description('HITL-1: see what waits, read it, decide');
  addReadingCommands(gates, context);
  addCommentCommand(gates, context);
  addApproveCommand(gates, context);
  addDecidingCommands(gates, context);
  addChatCommand(program, context);
  addNoticesCommand(program, context);
}

const DIGEST = ['--digest <digest>', 'the design that you read: at least its first 12 characters'] as const;
const GATE = ['--gate <gate>', 'such as HITL-1.r2; default: the newest'] as const;
const COMMENT = ['--comment <text>', 'goes to the agents, on approve too'] as const;
const NONCE = ['--nonce <word>', 'the same nonce gives the same answer again'] as const;

const DEFECTS = ['conflict', 'missing_rule', 'changed_quote', 'weakened_checker'] as const;

function addReadingCommands(gates: Command, { io, done, signal }: CommandContext): void {
  gates
    .command('list')
    .description('all gates that wait for a decision, oldest first')
    .option('--batch <batch>', 'only those of this batch, and which of them read the same')
    .addOption(jsonOption())
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
    .addOption(jsonOption())
    .action(async (run, gate, options) =>
      done(await (await import('./gates.ts')).showGate(run, { ...options, gate }, io)),
    );
  gates
    .command('review')
    .description('go through what waits on one screen, with the keys of the page')
    .argument('[run]', 'only this run')
    .action(async (run) => done(await (await import('./review-gates.ts')).reviewGates(run, io, signal)));
  gates
    .command('drill')
    .description('practise: find the one defect that was planted in a copy of an approved design; nothing of it counts')
    .argument('<scenario>')
    .addOption(new Option('--defect <kind>', 'default: one of them by chance').choices(DEFECTS))
    .option('--page', 'on the review page, at an address of its own, instead of the terminal')
    .addOption(jsonOption())
    .action(async (scenario, options) =>
      done(await (await import('./drill.ts')).drillCommand(scenario, options, { io, signal })),
    );
}

function addCommentCommand(gates: Command, { io, done }: CommandContext): void {
  gates
    .command('comment')
    .description(
      'say something at a gate that waits, or hand it to another reviewer; it decides nothing, and no agent of the run reads it',
    )
    .argument('<run>')
    .option('--comment <text>', 'at most 4,000 characters')
    .option('--to <reviewer>', 'hand the gate to this reviewer, who is told so')
    .option('--digest <digest>', 'the design that you read; refused when another one waits by now')
    .addOption(jsonOption())
    .action(async (run, options) => done(await (await import('./gates.ts')).commentCommand(run, options, io)));
}

function addApproveCommand(gates: Command, { io, done }: CommandContext): void {
  gates
    .command('approve')
    .description('Execute may build this design')
    .argument('[run]')
    .option(...DIGEST)
    .option(...GATE)
    .option(...COMMENT)
    .option('--accept', 'although a machine check found something or the estimate passes the cap')
    .option(...NONCE)
    .option('--batch <batch>', 'and every other gate of this batch where you would read exactly the same')
    .addOption(jsonOption())
    .action(async (run, { batch, ...options }) =>
      done(
        batch === undefined
          ? await (await import('./gates.ts')).decideAtGate(run, { ...options, decision: 'approve' }, io)
          : await (await import('../batch/gates.ts')).approveBatch(batch, { ...options, run }, io),
      ),
    );
}

function addDecidingCommands(gates: Command, { io, done }: CommandContext): void {
  gates
    .command('undo')
    .description('take your decision back; possible until the next step makes its first paid call')
    .argument('<gate>', 'a run, or a gate with its run such as 20261120-101500-a1b2c3.HITL-1.r2')
    .option(...GATE)
    .option('--whose <reviewer>', 'for owners: whose decision')
    .option('--comment <text>', 'why; is saved in the journal and sent in the notices')
    .addOption(jsonOption())
    .action(async (gate, options) => done(await (await import('./gates.ts')).undoAtGate(gate, options, io)));
  for (const [name, decision, does] of [
    ['request-changes', 'request_changes', 'Init must change the design; --comment says what'],
    ['reject', 'reject', 'ends the run'],
  ] as const) {
    gates
      .command(name)
      .description(does)
      .argument('<run>')
      .option(...DIGEST)
      .option(...GATE)
      .option(...COMMENT)
      .option(...NONCE)
      .addOption(jsonOption())
      .action(async (run, options) =>
        done(await (await import('./gates.ts')).decideAtGate(run, { ...options, decision }, io)),
      );
  }
}

function addChatCommand(program: Command, { io, done, signal }: CommandContext): void {
  program
    .command('chat')
    .description('question Init about a design; saved with the run, paid from its budget, changes nothing')
    .argument('<run>')
    .option('--message <text>', 'one question, one answer; without it lines are typed')
    .option(...GATE)
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (run, options) =>
      done(await (await import('../chat/chat.ts')).chatCommand(run, options, { io, signal })),
    );
}

function addNoticesCommand(program: Command, { io, done, signal }: CommandContext): void {
  const notices = program
    .command('notices')
    .description('messages about gates, runs, batches and workers: what arrives, and what does not');
  notices
    .command('list', { isDefault: true })
    .description('the channels, and what could not be delivered')
    .addOption(jsonOption())
    .action(async (options) => done(await (await import('./notices.ts')).noticesCommand(options, io)));
  notices
    .command('test')
    .description('send one message through every channel')
    .addOption(jsonOption())
    .action(async (options) => done(await (await import('./notices.ts')).testNotices(options, { io, signal })));
}
