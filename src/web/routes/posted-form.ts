/** What a posted form must prove before it is believed: that this page made it, for this visitor, and lately. */
import { HarnessError } from '../../errors.ts';
import { formAge } from '../guard/form-token.ts';
import type { Visitor } from '../guard/visitor.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { isOwnOrigin } from './request.ts';
import type { ReviewContext } from './respond.ts';

export const visitorActor = ({ name }: Pick<Visitor, 'name'>): string => `user:${name}`;

/** How long the form had been shown, in milliseconds. Contract: `gate_refused` when it is not ours or not from here. */
export function checkForm(
  c: ReviewContext,
  token: string,
  visitor: Visitor,
  { signer, clock, hosts }: Pick<ReviewDeps, 'signer' | 'clock' | 'hosts'>,
): number {
  const age = formAge(token, visitor.session, signer, clock.now().getTime());
  if (age !== undefined && isOwnOrigin(c, { hosts })) return age;
  throw new HarnessError(
    'gate_refused',
    'This form is older than a day or was not made by this page. Nothing was recorded; read again, then answer.',
    { details: { refusal: 'not_allowed' } },
  );
}

/** A form that lacks something: the page is shown again and says what. */
export function formFault(message: string): HarnessError {
  return new HarnessError('gate_refused', message, { details: { refusal: 'unconfirmed' } });
}
