import { KubeError } from './errors.ts';

/** The LabelSelector object of specs. Structural, so that any package's own type fits. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'above' | 'below';
  readonly values: readonly string[];
}

/** A selector, parsed once and asked often. */
export interface LabelMatcher {
  matches(labels: Labels | undefined): boolean;
  /** As the `labelSelector` of a request wants it. */
  toString(): string;
}

const operators: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
};

/**
 * Of a LabelSelector object. As in Kubernetes: the empty object selects everything, no object selects nothing.
 */
export function labelSelector(selector: LabelSelectorObject | undefined | null): LabelMatcher {
  if (selector === undefined || selector === null) return { matches: () => false, toString: () => '' };
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    requirement(key, 'in', [value]),
  );
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (!known)
      throw new KubeError(
        'invalid',
        `${operator} is no operator of a label selector; there are ${Object.keys(operators).join(', ')}`,
      );
    requirements.push(requirement(key, known, values));
  }
  return compile(requirements);
}

/** Of the text form, `app=web,tier in (front, back),!legacy,size>3`. The empty text selects everything. */
export function parseLabelSelector(text: string): LabelMatcher {
  const requirements: Requirement[] = [];
  const tokens = tokenize(text);
  let at = 0;
  const next = () => tokens[at++] ?? '';
  const fail = (why: string) =>
    new KubeError('invalid', `${JSON.stringify(text)} is no label selector: ${why}, as in app=web,tier in (a,b),!old`);
  const word = (what: string, optional = false): string => {
    const token = next();
    if (!/^[=!<>(),]/.test(token) && token !== '') return token;
    if (!optional) throw fail(`${what} is missing`);
    at -= 1;
    return '';
  };
  while (at < tokens.length) {
    if (tokens[at] === '!') {
      at += 1;
      requirements.push(requirement(word('the label after !'), 'absent', []));
    } else {
      const key = word('a label');
      const operator = tokens[at] === ',' || tokens[at] === undefined ? '' : next();
      if (operator === '') requirements.push(requirement(key, 'exists', []));
      else if (operator === '=' || operator === '==')
        requirements.push(requirement(key, 'in', [word('a value', true)]));
      else if (operator === '!=') requirements.push(requirement(key, 'notin', [word('a value', true)]));
      else if (operator === '>' || operator === '<')
        requirements.push(requirement(key, operator === '>' ? 'above' : 'below', [word('a number')]));
      else if (operator === 'in' || operator === 'notin') {
        if (next() !== '(') throw fail(`( must follow ${operator}`);
        const values = [word('a value', true)];
        let token = next();
        while (token === ',') {
          values.push(word('a value', true));
          token = next();
        }
        if (token !== ')') throw fail(') is missing');
        requirements.push(requirement(key, operator, values));
      } else throw fail(`${operator} is no operator`);
    }
    if (at < tokens.length && next() !== ',') throw fail(', must separate requirements');
    else if (at === tokens.length && tokens[at - 1] === ',') throw fail('a requirement must follow ,');
  }
  return compile(requirements);
}

/** `(` and `)` end a word, `in` and `notin` are words: a label may be called `in`, and then stands first. */
function tokenize(text: string): string[] {
  return text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
}

const qualifiedName = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function requirement(key: string, operator: Requirement['operator'], values: readonly string[]): Requirement {
  const fail = (why: string) =>
    new KubeError('invalid', `the label selector is wrong at ${JSON.stringify(key)}: ${why}`);
  if (!qualifiedName.test(key)) throw fail('that is no label name');
  const needed = { in: 'some', notin: 'some', exists: 'none', absent: 'none', above: 'number', below: 'number' }[
    operator
  ];
  if (needed === 'some' && values.length === 0) throw fail(`${operator} needs values`);
  if (needed === 'none' && values.length > 0) throw fail(`${operator} takes no values`);
  for (const value of values) {
    if (!labelValue.test(value)) throw fail(`${JSON.stringify(value)} is no label value`);
    if (needed === 'number' && !/^-?\d+$/.test(value)) throw fail(`${JSON.stringify(value)} is no whole number`);
  }
  return { key, operator, values };
}

function compile(requirements: readonly Requirement[]): LabelMatcher {
  return {
    matches: (labels = {}) => requirements.every((one) => holds(one, labels)),
    toString: () => requirements.map(requirementText).join(','),
  };
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'above':
    case 'below': {
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      const [seen, bound] = [BigInt(value), BigInt(values[0] ?? '0')];
      return operator === 'above' ? seen > bound : seen < bound;
    }
  }
}

function requirementText({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'above':
      return `${key}>${values[0]}`;
    case 'below':
      return `${key}<${values[0]}`;
    default:
      if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`;
      return `${key} ${operator} (${[...values].sort().join(',')})`;
  }
}
