/** One request about one gate: the visitor, the run, and what a posted form must prove before it is accepted. */
import { randomUUID } from 'node:crypto';
import { HarnessError } from '../../../errors.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { isSameActor } from '../../../gate/rules/same-actor.ts';
import { decisionDenial, denialError } from '../../guard/authorization.ts';
import { formAge, formToken } from '../../guard/form-token.ts';
import type { Visitor } from '../../guard/visitor.ts';
import { findListed } from '../../read/find-run.ts';
import { readGate, type GateView } from '../../read/read-gate.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { requireVisitor } from '../guards.ts';
import { formText, visitorActor, postedFields } from '../posted-form.ts';
import { isOwnOrigin } from '../request.ts';
import type { ReviewContext } from '../respond.ts';

export const GATE_PATH = '/runs/:run/gates/:gate{HITL-1\\.r[1-9][0-9]{0,3}}';

export type GateRequest = {
  c: ReviewContext;
  deps: ReviewDeps;
  visitor: Visitor;
  /** `user:<name>` of the visitor. */
  actor: string;
  /** The run's name in addresses. */
  key: string;
  gate: string;
  run: RunFolder;
};

/** The part of a request that a form is created for and checked against. */
type FormRequest = Pick<GateRequest, 'c' | 'visitor' | 'deps'>;

/** Reads the parameters of a route under `GATE_PATH`. Contract: `not_found` when there is no such run. */
export async function gateRequest(
  c: ReviewContext,
  deps: ReviewDeps,
  visitor: Visitor = requireVisitor(c),
): Promise<GateRequest> {
  const [key, gate] = [c.req.param('run') ?? '', c.req.param('gate') ?? ''];
  const run = await deps.store.open(findListed(await deps.store.list(), key).dir);
  return { c, deps, visitor, actor: visitorActor(visitor), key, gate, run };
}

export function readView(at: GateRequest): Promise<GateView> {
  return readGate(at, at.deps.designs);
}

/** Returns the view of a waiting gate. Contract: `gate_refused` if it waits no more or the visitor may not answer. */
export async function readOpenView(at: GateRequest, lost: string): Promise<{ view: GateView; digest: string }> {
  const view = await readView(at);
  if (view.open === undefined) {
    const past = view.decisions.at(-1);
    const who = past === undefined ? '' : ` ${past.actor} answered it with ${past.decision}.`;
    const why = `${at.gate} of run ${at.key} does not wait any more.${who} ${lost}`;
    throw new HarnessError('gate_refused', why, { details: { refusal: 'no_open_gate' } });
  }
  requireRight(at, view.open.digest, view.state.startedBy);
  return { view, digest: view.open.digest };
}

/** Returns why the visitor may not answer this design. A personal link is for its own digest, which is the default. */
export function denialAt(
  { visitor, run, key, gate, deps }: GateRequest,
  digest = visitor.only?.digest ?? '',
  startedBy?: string,
): string | undefined {
  const target = { scenario: run.scenario, key, gate, digest };
  return decisionDenial(visitor, startedBy === undefined ? target : { ...target, startedBy }, deps.access);
}

/** Lists the reviewers other than the visitor who may decide this gate; nobody is named where everybody may. */
export function listColleagues(at: GateRequest, startedBy: string): string[] {
  const { access } = at.deps;
  const isColleague = ({ name }: { name: string }): boolean =>
    !isSameActor(name, at.visitor.name) &&
    denialAt({ ...at, visitor: { name, session: '', by: 'token' } }, '', startedBy) === undefined;
  return access.reviewers.filter(isColleague).map(({ name }) => name);
}

export function requireRight(at: GateRequest, digest?: string, startedBy?: string): void {
  const why = denialAt(at, digest, startedBy);
  if (why !== undefined) throw denialError(why);
}

/** Returns how many milliseconds the form was shown. Contract: `gate_refused` for a foreign or day-old form. */
export function checkForm({ c, visitor, deps }: FormRequest, fields: FormData): number {
  const { signer, clock } = deps;
  const age = formAge(formText(fields.get('form')), visitor.session, { signer, nowMs: clock.now().getTime() });
  if (age !== undefined && isOwnOrigin(c, deps)) return age;
  throw denialError(
    'This form is older than a day or was not made by this page. Nothing was recorded; read again, then answer.',
  );
}

/** Returns a posted form whose sender may answer this gate. */
export async function checkedForm(at: GateRequest): Promise<FormData> {
  const fields = await postedFields(at.c);
  checkForm(at, fields);
  requireRight(at);
  return fields;
}

/** Returns the hidden fields of a new form: proof of this page, and a nonce for one answer. */
export function newForm({ visitor, deps }: Omit<FormRequest, 'c'>): { token: string; nonce: string } {
  return { token: formToken(visitor.session, deps.signer, deps.clock.now().getTime()), nonce: randomUUID() };
}
