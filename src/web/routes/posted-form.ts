/** The visitor's name in the journal, the text of a form's field, and errors for an incomplete form. */
import { HarnessError, usageError } from '../../errors.ts';
import type { Visitor } from '../guard/visitor.ts';
import type { ReviewContext } from './respond.ts';

export const visitorActor = ({ name }: Pick<Visitor, 'name'>): string => `user:${name}`;

/** A form that lacks something: the page is shown again with this message. */
export function formFault(message: string): HarnessError {
  return new HarnessError('gate_refused', message, { details: { refusal: 'unconfirmed' } });
}

/** A file in a text field counts as no text. */
export function formText(value: string | File | null): string {
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
}

/** Contract: `usage` for a body that is no form, such as JSON. */
export async function postedFields(c: ReviewContext): Promise<FormData> {
  try {
    return await c.req.formData();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const remedy = 'This address takes the form of its page. Programs use the JSON API (docs/reviewing.md).';
    throw usageError(remedy, { cause: error });
  }
}
