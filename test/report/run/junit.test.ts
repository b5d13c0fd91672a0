import { describe, expect, it } from 'vitest';
import { renderJUnit } from '../../../src/report/run/junit.ts';
import { HOSTILE, infected, skeleton } from '../hostile.ts';
import { failing, results, sample, unscored } from '../makers.ts';
import { deskAtSecondGate, withResults } from '../refund-desk-moments.ts';
import { refundDesk } from '../refund-desk.ts';

describe('renderJUnit', () => {
  it('has a suite for the last iteration, one class whatever the outcome, and an error for what is unscored', () => {
    const iterations = withResults(
      results([
        sample('a'),
        failing('b', 3, { checker: 'window', reason: 'day 31', evidence: ['actual: 120'] }),
        unscored,
      ]),
    );
    expect(renderJUnit(refundDesk({ iterations, rounds: refundDesk().rounds.slice(0, 1) }))).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="20261120-0714-k3f9" tests="5" failures="1" errors="1" skipped="0" time="3.600">
        <testsuite name="refund-desk" tests="3" failures="1" errors="1" skipped="0" time="3.600">
          <properties>
            <property name="against" value="Against this number: INCOMPLETE"/>
            <property name="iteration" value="1"/>
            <property name="round" value="1"/>
            <property name="successRate" value="0.6"/>
            <property name="target" value="0.85"/>
            <property name="costUsd" value="0.31"/>
            <property name="simulated" value="true"/>
          </properties>
          <testcase name="a" classname="refund-desk" time="1.200"/>
          <testcase name="b" classname="refund-desk" time="1.200">
            <failure message="day 31">layer: 3
      window: day 31
        actual: 120
      trace: execution_outputs/iteration_1/traces/b.1.jsonl</failure>
          </testcase>
          <testcase name="lost" classname="refund-desk" time="1.200">
            <error message="unscored: the infrastructure failed">trace: execution_outputs/iteration_1/traces/sample.1.jsonl</error>
          </testcase>
        </testsuite>
        <testsuite name="refund-desk gates" tests="1" failures="0" errors="0" skipped="0" time="0.000">
          <testcase name="HITL-1.r1" classname="refund-desk.gate" time="0.000"/>
        </testsuite>
        <testsuite name="refund-desk outcome" tests="1" failures="0" errors="0" skipped="0" time="0.000">
          <testcase name="target" classname="refund-desk" time="0.000"/>
        </testsuite>
      </testsuites>
      "
    `);
  });

  it('has failures of the last iteration only; the rates of earlier ones are properties', () => {
    const [first] = withResults(results([failing('a', 3, { checker: 'window', reason: 'day 31', evidence: [] })]));
    const [second] = withResults(results([sample('a')]));
    if (first === undefined || second === undefined) throw new Error('no iterations');
    const page = renderJUnit(refundDesk({ iterations: [first, { ...second, iteration: 2, successRate: 1 }] }));
    expect(page).toContain('failures="0"');
    expect(page).not.toContain('<failure');
    expect(page).toContain('<property name="iteration" value="2"/>');
    expect(page).toContain(`<property name="iteration1.successRate" value="${first.successRate}"/>`);
  });

  it('never reports a waiting gate as passed', () => {
    expect(renderJUnit(deskAtSecondGate)).toContain(
      '<testcase name="HITL-1.r2" classname="refund-desk.gate" time="0.000">\n      <skipped message="waiting at HITL-1.r2"/>',
    );
  });

  it('fails a gate that was rejected and skips an iteration whose results are gone', () => {
    const [round] = refundDesk().rounds;
    const rounds = round === undefined ? [] : [{ ...round, decision: 'reject' as const }];
    const [{ results: _lost, ...bare } = refundDesk().iterations[0]!] = refundDesk().iterations;
    const page = renderJUnit(refundDesk({ status: 'rejected', rounds, iterations: [bare] }));
    expect(page).toContain('<failure message="reject by user:ada">');
    expect(page).toContain('<skipped message="its results were not read"/>');
  });

  it.each([
    ['paused', 'error'],
    ['errored', 'error'],
    ['failed', 'failure'],
    ['executing', 'skipped'],
  ] as const)('never looks green when the run is %s', (status, element) => {
    const page = renderJUnit(refundDesk({ status, iterations: [], rounds: [], why: 'the money is used up' }));
    expect(page).toContain(`<${element} message="${status}: the money is used up"`);
  });

  it.each(HOSTILE)('has the same elements when every text is %j', (text) => {
    const page = renderJUnit(infected(deskAtSecondGate, (index) => `${text}${index}`));
    expect(skeleton(page)).toEqual(skeleton(renderJUnit(infected(deskAtSecondGate, (index) => `word${index}`))));
    expect(page).toMatch(/^[\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
  });
});
