/** The contract cases of a port, for any test runner, and how they are made of its rules. */

/** Run as `for (const { title, run } of cases) test(title, run)`. */
export type ContractCase = { title: string; run: () => Promise<void> };

/** The rules of a port by title; each runs on a fresh subject. */
export type Checks<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/** `close` ends the subject, also when its rule fails. */
export function createCases<Subject>(
  checks: Checks<Subject>,
  open: () => Promise<Subject>,
  close: (subject: Subject) => Promise<void> = async () => undefined,
): ContractCase[] {
  return Object.entries(checks).map(([title, check]) => ({
    title,
    run: async () => {
      const subject = await open();
      try {
        await check(subject);
      } finally {
        await close(subject);
      }
    },
  }));
}

/** Makes one rule for each of several values. */
export function checksFor<Value, Subject>(
  values: readonly Value[],
  rule: (value: Value) => readonly [title: string, check: (subject: Subject) => Promise<void>],
): Checks<Subject> {
  return Object.fromEntries(values.map(rule));
}
