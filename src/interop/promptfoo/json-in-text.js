/** Finds the objects within a text as leniently as promptfoo does; a part of asserts-checker.js. */

/** promptfoo reads each `{…}` as YAML: commas at the end, missing quotes and comments are allowed, and braces missing at the end are added. */
const PLAIN = {
  '': null,
  '~': null,
  null: null,
  Null: null,
  NULL: null,
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
};
const NUMBER = /^[-+]?(?:0x[\da-fA-F]+|0o[0-7]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)$/;

/** Reads a YAML flow mapping; throws for any other text. */
function parseLenient(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at += found[0].length;
    return found;
  };
  const skip = () => take(/(?:\s|(?:#|\/\/)[^\n]*)*/y);
  const need = (pattern) => take(pattern) ?? fail();
  const fail = () => {
    throw new SyntaxError('no JSON');
  };
  const quoted = () => {
    if (text[at] === "'") return need(/'((?:''|[^'])*)'/y)[1].replaceAll("''", "'");
    return JSON.parse(need(/"(?:\\[^]|[^"\\])*"/y)[0].replace(/\s*\n\s*/g, ' '));
  };
  const plain = () => {
    const [found] = need(
      /(?![-?:](?:[\s,[\]{}]|$)|[&*!|>%@`"'#,[\]{}])(?:[^:,[\]{}\s]|:(?![\s,[\]{}]|$)|\s+(?![\s#:,[\]{}]|\/\/))+/y,
    );
    const word = found.trim();
    return Object.hasOwn(PLAIN, word) ? PLAIN[word] : NUMBER.test(word) ? Number(word.replace(/^\+/, '')) : word;
  };
  const value = () =>
    text[at] === '{' ? mapping() : text[at] === '[' ? sequence() : /["']/.test(text[at]) ? quoted() : plain();
  /** Reads entries up to the closing bracket; a comma may stand after the last one. */
  const entries = (close, entry) => {
    at += 1;
    for (skip(); text[at] !== close; skip()) {
      entry();
      skip();
      if (text[at] !== close) need(/,/y);
    }
    at += 1;
  };
  const mapping = () => {
    const made = {};
    entries('}', () => {
      const isQuoted = /["']/.test(text[at]);
      const key = value();
      skip();
      const hasValue = take(isQuoted ? /:/y : /:(?=[\s,[\]{}"']|$)/y) !== null;
      skip();
      made[String(key)] = hasValue && !/[,}]/.test(text[at]) ? value() : null;
    });
    return made;
  };
  const sequence = () => {
    const made = [];
    entries(']', () => made.push(value()));
    return made;
  };
  const made = value();
  skip();
  return at === text.length ? made : fail();
}

const parseEither = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return parseLenient(text);
  }
};

const LONGEST = 100_000;

/** Every object within the text; the objects of a list each by itself. */
export function* jsonIn(text) {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== '{') continue;
    let open = 1;
    let end = start + 1;
    for (; open > 0 && end < text.length && end < start + LONGEST; end += 1)
      open += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0;
    const part = text.slice(start, end) + '}'.repeat(open);
    try {
      yield { value: parseEither(part) };
      start = end - 1;
    } catch {
      // This brace begins no object; a later one may.
    }
  }
}
