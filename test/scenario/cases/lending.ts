/** A small design whose outcomes are read: late fees of a lending desk, with a frame for each kind of request. */
import { Cases, type CaseRule } from '../../../src/scenario/cases/cases.ts';

export const LENDING_CASES = {
  attributes: {
    request: ['return', 'ask'],
    kind: { values: ['member', 'patron'], from: { at: '/members/{member}/kind' } },
    days_late: { values: '0..60', usual: 0, when: { request: 'return' } },
  },
  outcomes: {
    late_fee: {
      values: '0..3000',
      means: 'late fee',
      when: { request: 'return' },
      from: { added: '/charges', where: { member: '{member}' }, sum: 'cents' },
    },
    state: {
      values: ['back', 'kept'],
      from: { at: '/loans/{loan}/state' },
      as: { back: 'back', kept: { at: '/loans/{loan}/state' } },
    },
    looked_up: { values: ['once'], from: { calls: 'read_loan' }, as: { once: '1..' } },
    told: { values: ['amount'], from: 'words' },
  },
  names: { loan: 'the loan', member: 'the member' },
  frames: [
    { when: { request: 'return' }, may_change: ['/charges', '/loans/{loan}/state'] },
    { when: { request: 'ask' }, may_change: [] },
  ],
};

export const LENDING_RULES: CaseRule[] = [
  {
    id: 'R1',
    when: { request: 'return' },
    demands: { late_fee: 'min(200 * days_late, 3000)', state: 'back' },
    also: [{ when: { request: 'ask' }, demands: { state: 'kept' } }],
  },
  { id: 'R2', when: { kind: 'patron' }, demands: { late_fee: 0 }, over: ['R1'] },
  { id: 'R3', when: 'all', demands: { looked_up: 'once', told: 'amount' } },
];

export const LENDING = Cases.parse(LENDING_CASES);

export const LENDING_WORLD_SCHEMA = {
  type: 'object' as const,
  additionalProperties: false,
  properties: {
    members: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { kind: { type: 'string', enum: ['member', 'patron'] } } },
    },
    loans: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { state: { type: 'string', enum: ['out', 'back'] }, member: { type: 'string' } },
      },
    },
    charges: {
      type: 'array',
      items: { type: 'object', properties: { member: { type: 'string' }, cents: { type: 'integer' } } },
    },
    notes: { type: 'array', items: { type: 'string' } },
  },
};
