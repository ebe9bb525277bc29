/** `format.dns1123Label().validate(name)`: what is wrong, in the words of the checks on metadata. */
type Check = (text: string, formatCheck: (format: string) => ((text: string) => boolean) | undefined) => string[];

const tooLong = (limit: number, unit = 'characters') => `must be no more than ${limit} ${unit}`;

function pattern(expression: string, limit: number, why: string): Check {
  const test = new RegExp(`^${expression}$`);
  return (text) => [
    ...(text.length > limit ? [tooLong(limit)] : []),
    ...(test.test(text) ? [] : [`${why}, regex used for validation is '${expression}')`]),
  ];
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const label = pattern(
  LABEL,
  63,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc'",
);
const subdomain = pattern(
  `${LABEL}(\\.${LABEL})*`,
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com'",
);
const label1035 = pattern(
  LABEL_1035,
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123'",
);
const namePart = pattern(
  '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
  63,
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc'",
);
const labelValue = pattern(
  '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?',
  63,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345'",
);

/** A prefix may end in a dash: something will follow. */
const prefixOf =
  (check: Check): Check =>
  (text, formatCheck) =>
    check(text.replace(/-$/, 'a'), formatCheck);

const qualifiedName: Check = (text, formatCheck) => {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  if (parts.length > 1)
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  const [prefix] = parts;
  return [
    ...(prefix === undefined
      ? []
      : prefix === ''
        ? ['prefix part must be non-empty']
        : subdomain(prefix, formatCheck).map((problem) => `prefix part ${problem}`)),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...namePart(name, formatCheck).map((problem) => `name part ${problem}`),
  ];
};

const byFormat =
  (format: string, why: string): Check =>
  (text, formatCheck) =>
    formatCheck(format)?.(text) ? [] : [why];

export const namedFormats: Readonly<Record<string, Check>> = {
  dns1123Label: label,
  dns1123Subdomain: subdomain,
  dns1035Label: label1035,
  qualifiedName,
  dns1123LabelPrefix: prefixOf(label),
  dns1123SubdomainPrefix: prefixOf(subdomain),
  dns1035LabelPrefix: prefixOf(label1035),
  labelValue,
  uri: (text, formatCheck) => (formatCheck('uri')?.(text) ? [] : [`parse "${text}": invalid URI for request`]),
  uuid: byFormat('uuid', 'does not match the UUID format'),
  byte: byFormat('byte', 'invalid base64'),
  date: byFormat('date', 'invalid date'),
  datetime: byFormat('datetime', 'invalid datetime'),
};
