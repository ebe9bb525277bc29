/** The forms of names, and what is said about a name that does not have them. */
import { isIP } from 'node:net';
import type { FieldError } from '../schema/structural.ts';
import { invalidValue } from './field-errors.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${NAME_PART})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const matches = (form: string, text: string) => new RegExp(`^${form}$`).test(text);

const LABEL_MESSAGE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const SUBDOMAIN_MESSAGE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const NAME_PART_MESSAGE = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_PART}')`;
const LABEL_VALUE_MESSAGE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;
const CONFIG_KEY_MESSAGE = `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${CONFIG_KEY}')`;

type Complaints = (text: string) => string[];

const limited =
  (form: string, message: string, limit: number): Complaints =>
  (text) => [
    ...(text.length > limit ? [`must be no more than ${limit} characters`] : []),
    ...(matches(form, text) ? [] : [message]),
  ];

export const dnsLabel: Complaints = (text) =>
  text.includes('.') ? ['must not contain dots'] : limited(LABEL, LABEL_MESSAGE, 63)(text);
export const dnsSubdomain = limited(SUBDOMAIN, SUBDOMAIN_MESSAGE, 253);

export const labelValue: Complaints = (text) => [
  ...(text.length > 63 ? ['must be no more than 63 bytes'] : []),
  ...(matches(LABEL_VALUE, text) ? [] : [LABEL_VALUE_MESSAGE]),
];

export const qualifiedName: Complaints = (text) => {
  const parts = text.split('/');
  if (parts.length > 2)
    return [
      `a qualified name ${NAME_PART_MESSAGE.slice('name part '.length).replace(NAME_PART, NAME_PART)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = parts.at(-1) ?? '';
  const complaints: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    complaints.push(
      ...(prefix === '' ? ['prefix part must be non-empty'] : dnsSubdomain(prefix).map((one) => `prefix part ${one}`)),
    );
  }
  if (name === '') complaints.push('name part must be non-empty');
  else if (name.length > 63) complaints.push('name part must be no more than 63 bytes');
  if (!matches(NAME_PART, name)) complaints.push(NAME_PART_MESSAGE);
  return complaints;
};

export const configKey: Complaints = (text) => {
  if (text === '.' || text === '..') return [`must not be '${text}'`];
  if (text.startsWith('..')) return ["must not start with '..'"];
  return [
    ...(text.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(matches(CONFIG_KEY, text) ? [] : [CONFIG_KEY_MESSAGE]),
  ];
};

/** Names of variables: relaxed since 1.34, anything printable but `=`. */
export const envName: Complaints = (text) =>
  /^[ -<>-~]+$/.test(text)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

/** IANA service names, which ports have. */
export const portName: Complaints = (text) => {
  const complaints: string[] = [];
  if (text.length > 15) complaints.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(text))
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(text)) complaints.push('must contain at least one letter (a-z)');
  if (text.includes('--')) complaints.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) complaints.push('must not begin or end with a hyphen');
  return complaints;
};

export const portNumber = (port: number): string[] =>
  port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];

export const ipAddress: Complaints = (text) =>
  isIP(text) === 0 ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : [];

export function named(field: string, text: string, rule: Complaints): FieldError[] {
  return rule(text).map((why) => invalidValue(field, text, why));
}
