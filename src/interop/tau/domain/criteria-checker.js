/** The criteria of the imported tasks, by sample, judged as tau2-bench judges them. */
export const checker = {
  id: 'criteria',
  description: 'Everything that the task wants to be said was said, and every call that it demands was made.',
  rules: '{{rules}}',
  // The benchmark compares words letter by letter.
  exact_words: true,
};

const CRITERIA = '{{criteria}}';

const isSameJson = (a, b) => JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
const sortKeys = (value) =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sortKeys(value[key])]),
        )
      : value;
const pickArguments = (args, names) =>
  Object.fromEntries(names.filter((name) => name in args).map((name) => [name, args[name]]));

export function check({ sample, trace }) {
  const { say, call } = CRITERIA[sample.id] ?? { say: [], call: [] };
  const said = trace.says.map((text) => text.toLowerCase().replaceAll(',', ''));
  const silent = say.filter((words) => !said.some((text) => text.includes(words.toLowerCase())));
  const absent = call.filter(
    (wanted) =>
      !trace.calls.some((made) => {
        const names = wanted.compare ?? Object.keys(made.input);
        return (
          made.tool === wanted.tool && isSameJson(pickArguments(wanted.args, names), pickArguments(made.input, names))
        );
      }),
  );
  const evidence = [
    ...silent.map((words) => 'never said: ' + words),
    ...absent.map(({ tool, args }) => 'never called: ' + tool + ' ' + JSON.stringify(args)),
  ];
  if (trace.says.length === 0) return { pass: false, reason: 'nothing was said', evidence };
  if (evidence.length === 0) return { pass: true, reason: 'everything was said and done', evidence };
  return { pass: false, reason: evidence.length + ' things were not said or done', evidence };
}
