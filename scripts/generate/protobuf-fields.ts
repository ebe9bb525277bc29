/**
 * What the protobuf decoder of the embedded API server must know about the messages of the built-in kinds: numbers, names in
 * JSON, types, and when a field shows in JSON at all. Read from the `.proto` files of the Kubernetes modules, and from the
 * tags of the Go structs beside them, because only those say which fields are inlined and which zero values are kept.
 * No comment and no prose is taken over.
 */

/** One folder of a Go module that declares one version of one group. */
export interface ProtobufPackage {
  readonly proto: string;
  readonly go: readonly string[];
}

/**
 * When a field shows in JSON.
 *   `*`  when it was sent (a pointer in Go)
 *   `?`  when it is not the zero value
 *   `!`  always
 *   `~`  always, as null when it was not sent
 *   `<`  its own fields show in place of it
 */
export type Presence = '*' | '?' | '!' | '~' | '<';

export interface ProtobufFields {
  readonly kubernetes: string;
  /** `apps/v1` → `apps.v1`, the package whose messages are the kinds of that version. */
  readonly packages: Readonly<Record<string, string>>;
  /** `NUMBER NAME PRESENCE TYPE` of each field; one text alone for a message that is a list in JSON. */
  readonly messages: Readonly<Record<string, readonly string[] | string>>;
}

/** Messages with a JSON form of their own, which the decoder knows. */
const OWN_FORM = new Set([
  'api.resource.Quantity',
  'api.resource.QuantityValue',
  'apiextensions.v1.JSON',
  'apiextensions.v1.JSONSchemaPropsOrArray',
  'apiextensions.v1.JSONSchemaPropsOrBool',
  'apiextensions.v1.JSONSchemaPropsOrStringArray',
  'meta.v1.Duration',
  'meta.v1.FieldsV1',
  'meta.v1.MicroTime',
  'meta.v1.Time',
  'meta.v1.Timestamp',
  'runtime.RawExtension',
  'util.intstr.IntOrString',
]);

const SCALARS = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'double', 'float']);

export function reduceProtobuf(
  kubernetes: string,
  kinds: Readonly<Record<string, ProtobufPackage>>,
  meta: ProtobufPackage,
): ProtobufFields {
  const messages: Record<string, readonly string[] | string> = {};
  const packages: Record<string, string> = {};
  for (const [groupVersion, source] of Object.entries(kinds)) packages[groupVersion] = packageName(source.proto);
  for (const source of [...Object.values(kinds), meta]) Object.assign(messages, messagesOf(source));
  checkReferences(messages);
  return { kubernetes, packages, messages };
}

export function writeProtobufFields({ kubernetes, packages, messages }: ProtobufFields): string {
  const lines = Object.entries(messages)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`);
  return `{"kubernetes":${JSON.stringify(kubernetes)},
"packages":${JSON.stringify(packages)},
"messages":{
${lines.join(',\n')}
}}
`;
}

function messagesOf({ proto, go }: ProtobufPackage): Record<string, readonly string[] | string> {
  const home = packageName(proto);
  const found: Record<string, readonly string[] | string> = {};
  for (const [, name = '', body = ''] of withoutComments(proto).matchAll(/^message (\w+) \{(.*?)^\}/gms)) {
    const full = `${home}.${name}`;
    const declared = new RegExp(`^type ${name} (\\S+)`, 'm').exec(go.join('\n'))?.[1] ?? '';
    // Another name for a message of another package: the general List, which nobody sends.
    if (OWN_FORM.has(full) || declared.includes('.')) continue;
    found[full] = declared.startsWith('[]') ? declared : fieldsOf(full, home, body, structFields(name, go));
  }
  return found;
}

interface GoField {
  readonly type: string;
  readonly json: string;
}

function fieldsOf(message: string, home: string, body: string, go: ReadonlyMap<number, GoField>): string[] {
  const pattern = /^\s*(?:(optional|required|repeated) ([\w.]+)|map<string, ([\w.]+)>) \w+ = (\d+)/gm;
  return [...body.matchAll(pattern)].map(([, label, single, mapped, number = '']) => {
    const field = go.get(Number(number));
    if (!field) throw new Error(`${message} has field ${number}, which its Go struct does not have`);
    const base = typeName(single ?? mapped ?? '', home);
    const type = mapped === undefined ? (label === 'repeated' ? `[]${base}` : base) : `{}${base}`;
    const [name = '', ...options] = field.json.split(',');
    return `${number} ${name || '-'} ${presenceOf(field.type, type, options)} ${type}`;
  });
}

function presenceOf(goType: string, type: string, options: readonly string[]): Presence {
  if (options.includes('inline')) return '<';
  const isCollection = type.startsWith('[]') || type.startsWith('{}');
  const omitsEmpty = options.includes('omitempty');
  if (goType.startsWith('*')) return omitsEmpty ? '*' : '~';
  // To Go a struct is never empty; a slice is.
  const isStruct = !isCollection && !SCALARS.has(type) && !/\b(?:Verbs|ExtraValue)$/.test(goType);
  if (isStruct) return options.includes('omitzero') ? '?' : '!';
  return omitsEmpty ? '?' : '!';
}

/** By protobuf number. */
function structFields(name: string, go: readonly string[]): Map<number, GoField> {
  const fields = new Map<number, GoField>();
  for (const text of go) {
    const body = new RegExp(`^type ${name} struct \\{(.*?)^\\}`, 'ms').exec(text)?.[1] ?? '';
    for (const [, type = '', tags = ''] of body.matchAll(/^\s*(?:\w+\s+)?([\w.*[\]]+)\s+`([^`]*)`/gm)) {
      const number = /protobuf:"[^"]*?,(\d+)/.exec(tags)?.[1];
      const json = /json:"([^"]*)"/.exec(tags)?.[1];
      if (number !== undefined && json !== undefined) fields.set(Number(number), { type, json });
    }
  }
  return fields;
}

function checkReferences(messages: Readonly<Record<string, readonly string[] | string>>): void {
  for (const [name, fields] of Object.entries(messages)) {
    for (const field of typeof fields === 'string' ? [] : fields) {
      const type = (field.split(' ')[3] ?? '').replace(/^(\[\]|\{\})/, '');
      if (!SCALARS.has(type) && !OWN_FORM.has(type) && !messages[type])
        throw new Error(`${name} refers to ${type}, which was not read`);
    }
  }
}

const withoutComments = (proto: string) => proto.replace(/^\s*\/\/.*$/gm, '');
const packageName = (proto: string) => shortName(/^package ([\w.]+);/m.exec(proto)?.[1] ?? '');
const typeName = (type: string, home: string) =>
  SCALARS.has(type) ? type : type.startsWith('.') ? shortName(type.slice(1)) : `${home}.${type}`;

/** `k8s.io.apimachinery.pkg.apis.meta.v1.Time` → `meta.v1.Time`. */
const shortName = (name: string) => name.replace(/^k8s\.io\.(?:api\.|\w+\.pkg\.(?:apis\.)?)/, '');
