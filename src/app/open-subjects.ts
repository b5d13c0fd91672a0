/** What stands behind the kinds of subject that are no model. */
import { commandSubject } from '../adapters/subjects/command-subject.ts';
import { httpSubject } from '../adapters/subjects/http-subject.ts';
import type { SubjectHosts } from '../ports/subject.ts';

export const SUBJECTS: SubjectHosts = { command: commandSubject, http: httpSubject };
