/** Arithmetic over the attributes of a case: whole numbers, `+ - * /`, `min` and `max`. A condition belongs in `when`. */

type Values = Readonly<Record<string, unknown>>;
type Evaluate = (values: Values) => number;

export type Arithmetic = {
  ok: true;
  names: ReadonlySet<string>;
  /** Computes the whole number nearest to the result; undefined where an attribute has no number. */
  evaluate: (values: Values) => number | undefined;
};

/** Parses an expression such as `min(2 * days_late, 30)`; `fault` is the rest of a sentence about it. */
export function parseArithmetic(text: string): Arithmetic | { ok: false; fault: string } {
  const tokens = text.match(/\d+(?:\.\d+)?|[a-z]\w*|\S/g) ?? [];
  const parser = new Parser(tokens);
  try {
    const root = parser.readSum();
    parser.expectEnd();
    return { ok: true, names: parser.names, evaluate: (values) => roundResult(root(values)) };
  } catch (error) {
    if (!(error instanceof ArithmeticFault)) throw error;
    return { ok: false, fault: error.message };
  }
}

/** Rounds halves up, as money is rounded; a missing attribute has made the result no number. */
function roundResult(result: number): number | undefined {
  // A quotient such as 300 * 1.15 lies a hair beside the half that it stands for.
  const rounded = Math.floor(Number(result.toPrecision(12)) + 0.5);
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

class ArithmeticFault extends Error {}

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = { min: Math.min, max: Math.max };

class Parser {
  readonly names = new Set<string>();
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  readSum(): Evaluate {
    return this.#readChain(['+', '-'], () => this.#readChain(['*', '/'], () => this.#readFactor()));
  }

  expectEnd(): void {
    if (this.#next < this.#tokens.length)
      throw new ArithmeticFault(`has ${this.#tokens[this.#next]} where it should end`);
  }

  #readChain(signs: readonly string[], readPart: () => Evaluate): Evaluate {
    let left = readPart();
    for (let sign = this.#take(signs); sign !== undefined; sign = this.#take(signs)) {
      const [before, after, by] = [left, readPart(), sign];
      left = (values) => combine(by, before(values), after(values));
    }
    return left;
  }

  #readFactor(): Evaluate {
    const token = this.#tokens[this.#next];
    this.#next += 1;
    if (token === '-') {
      const factor = this.#readFactor();
      return (values) => -factor(values);
    }
    if (token === '(') return this.#readArguments()[0] ?? (() => Number.NaN);
    if (token !== undefined && /^\d/.test(token)) return this.#readNumber(token);
    if (token === undefined || !/^[a-z]/.test(token)) {
      throw new ArithmeticFault(`has ${token ?? 'its end'} where a number or an attribute should be`);
    }
    if (this.#take(['(']) === undefined) {
      this.names.add(token);
      return (values) => (typeof values[token] === 'number' ? values[token] : Number.NaN);
    }
    const compute = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
    if (compute === undefined) {
      throw new ArithmeticFault(`uses ${token}(…); there are only min and max, and a condition belongs in when`);
    }
    const parts = this.#readArguments();
    return (values) => compute(...parts.map((part) => part(values)));
  }

  #readNumber(token: string): Evaluate {
    if (token.includes('.')) throw new ArithmeticFault(`has ${token}: write whole numbers, money in its smallest unit`);
    return () => Number(token);
  }

  /** Reads up to the closing bracket; the opening one is behind. */
  #readArguments(): Evaluate[] {
    const parts = [this.readSum()];
    while (this.#take([',']) !== undefined) parts.push(this.readSum());
    if (this.#take([')']) === undefined) throw new ArithmeticFault('lacks a closing bracket');
    return parts;
  }

  #take(wanted: readonly string[]): string | undefined {
    const token = this.#tokens[this.#next];
    if (token === undefined || !wanted.includes(token)) return undefined;
    this.#next += 1;
    return token;
  }
}

function combine(sign: string, left: number, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  return sign === '*' ? left * right : left / right;
}
