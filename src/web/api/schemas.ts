/** Requests and responses of the JSON API; the OpenAPI document is generated from these schemas. */
import { z } from 'zod';
import { MOST_COMMENT } from '../../gate/rules/gate.ts';
import { ReviewPack } from '../../gate/rules/review-pack.ts';

export const DecisionBody = z
  .strictObject({
    digest: z.string().min(12).max(200).describe('Digest of the design that was read, or its first 12 characters.'),
    decision: z.enum(['approve', 'edit_approve', 'request_changes', 'reject']),
    comment: z.string().max(MOST_COMMENT).default('').describe('Goes to both agents, also on approve.'),
    edits: z
      .record(z.string().max(100), z.string().max(512 * 1024))
      .optional()
      .describe('With edit_approve: whole new texts of design files, by file name.'),
    nonce: z.string().min(8).max(200).describe('Fresh for every decision; the same nonce gets the same answer again.'),
    confirm: z.string().max(20).default('').describe('"accept", to approve although a machine check found something.'),
  })
  .meta({ id: 'DecisionBody' });

export const DecisionResult = z
  .object({
    gate: z.string(),
    round: z.int(),
    decision: z.enum(['approve', 'edit_approve', 'request_changes', 'reject']),
    digest: z.string(),
    editedDigest: z.string().optional(),
    editedDir: z.string().optional(),
    comment: z.string(),
    actor: z.string(),
    via: z.string(),
    ts: z.string(),
  })
  .meta({ id: 'Decided' });

export const UndoBody = z
  .strictObject({
    whose: z.string().max(110).optional().describe('For owners: whose decision, as user:<name>; default: your own.'),
    comment: z.string().max(MOST_COMMENT).default('').describe('Why; goes into the journal and the notices.'),
  })
  .meta({ id: 'UndoBody' });

export const UndoResult = z
  .object({ decision: DecisionResult, actor: z.string(), comment: z.string(), via: z.string(), at: z.string() })
  .meta({ id: 'Undone' });

export const WaitingGateItem = z
  .object({
    id: z.string().describe('Names the gate in POST /api/gates/{id}/decision.'),
    run: z.string(),
    gate: z.string(),
    scenario: z.string(),
    title: z.string(),
    digest: z.string(),
    openedAt: z.string(),
    approvals: z.array(z.string()),
    need: z.int(),
    doubts: z.array(z.string()).describe('Why approving asks for confirm; empty when it does not.'),
    url: z.string(),
  })
  .meta({ id: 'Waiting' });

export const GateAnswer = WaitingGateItem.extend({ pack: ReviewPack }).meta({ id: 'Gate' });

export const RunAnswer = z
  .object({
    run: z.string(),
    scenario: z.string(),
    status: z.string(),
    round: z.int(),
    iteration: z.int(),
    gate: z.string().describe('The gate that waits; empty when none does.'),
    digest: z.string(),
    target: z.number(),
    iterations: z.array(
      z.object({ iteration: z.int(), round: z.int(), successRate: z.number(), passed: z.int(), total: z.int() }),
    ),
    decisions: z.array(DecisionResult),
  })
  .meta({ id: 'Run' });

export const QuestionBody = z
  .strictObject({
    question: z.string().min(1).max(8000).describe('Files named as @business_rules.yaml go along with their text.'),
    gate: z.string().max(20).optional().describe('The gate whose design is meant; default: the newest one.'),
    fresh: z.boolean().default(false).describe('Begins the conversation anew; what was said stays on record.'),
    nonce: z.string().min(8).max(200).describe('Fresh for every question; the same nonce gets the same answer again.'),
  })
  .meta({ id: 'QuestionBody' });

export const ChatAnswer = z
  .object({
    run: z.string(),
    gate: z.string(),
    round: z.int(),
    seq: z.int().describe('Number of the event that holds the exchange.'),
    actor: z.string(),
    at: z.string(),
    via: z.string(),
    question: z.string(),
    answer: z.string(),
    files: z.array(z.string()).describe('Files whose text went along.'),
    calls: z.int(),
    usd: z.number().describe('Paid from the budget of the run.'),
    writtenOffUsd: z
      .number()
      .optional()
      .describe(
        'A question before this one was cut off in mid-call: the worst that it may have cost counts from now on.',
      ),
  })
  .meta({ id: 'Answered' });

export const ErrorBody = z
  .object({
    error: z.object({
      code: z.string().optional(),
      refusal: z.string().optional(),
      problems: z.array(z.string()).optional(),
      message: z.string(),
    }),
  })
  .meta({ id: 'Refusal' });
