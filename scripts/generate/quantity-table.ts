/**
 * What a real API server makes of quantities, asked for one by one: the table that packages/kube/quantity.ts is held
 * against. `send` makes one request; the table has facts only, and is the same for every server of that version.
 */
export interface QuantityTable {
  readonly kubernetes: string;
  /**
   * What was sent and what came back, null where the server refused it: of a field that is a quantity
   * (`emptyDir.sizeLimit`, which may not be negative), and of a list of resources, which is rounded up to thousandths.
   */
  readonly served: readonly (readonly [sent: string, field: string | null, resource: string | null])[];
  /** Which of two is larger, as the rule "min is not above max" of LimitRange tells. */
  readonly compared: readonly (readonly [a: string, b: string, order: -1 | 0 | 1])[];
  /** A running sum, as a ResourceQuota counts the memory of pods. */
  readonly added: readonly (readonly [before: string, more: string, after: string])[];
}

export type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: string }>;

const numbers = ['0', '1', '5', '10', '100', '999', '1000', '1001', '1023', '1024', '1025', '2048', '1048576'];
const fractions = [
  '0.5',
  '0.1',
  '1.5',
  '1.500',
  '1.25',
  '.5',
  '5.',
  '0.001',
  '0.0001',
  '123.456',
  '1.000',
  '0.000000001',
];
const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'e3', 'E-3'];
const oddities = [
  '+5',
  '-5',
  '-1.5Gi',
  '-0',
  '+0',
  '-0.1n',
  '-1n',
  '00',
  '007',
  '0Ki',
  '0.0',
  '0e5',
  '+1Ki',
  '001Ki',
  '-1Ki',
  '-1023Ki',
  '0.0000000001',
  '0.00000000049',
  '1.0000000001',
  '1e-9',
  '1e-10',
  '1e-12',
  '1.1Ki',
  '1.0001Ki',
  '0.0001Ki',
  '0.1Mi',
  '1e0',
  '1e1',
  '1e2',
  '1E2',
  '1e+3',
  '1e03',
  '1e6',
  '1.5e3',
  '12e3',
  '1200e3',
  '1e18',
  '1e19',
  '1e20',
  '1e21',
  '1e30',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '9223372036854775807Ki',
  '8Ei',
  '7Ei',
  '16Ei',
  '-8Ei',
  '-16Ei',
  '123456789012345678',
  '1234567890123456789',
  '12345678901234567890',
  '123456789012345678901',
  '0.123456789',
  '0.1234567891',
  '999999999999999999n',
  '1000000000000000000n',
  '10000000000000000000n',
  '1000E',
  '1000000E',
  '1001E',
  '1e3E',
  ' 1',
  '1 ',
  '1 Gi',
  '',
  ' ',
  '.',
  '-',
  '+',
  '-.',
  'm',
  'Ki',
  'e3',
  'Gi',
  '-m',
  '1mm',
  '1KiB',
  '1KB',
  '1K',
  '1ki',
  '1mi',
  '1g',
  '1t',
  '1i',
  '1e',
  '1E+',
  '1ee3',
  '1e3m',
  '1.2.3',
  '1..2',
  '--1',
  '+-1',
  '1,5',
  '0x10',
  'abc',
  'NaN',
  'Infinity',
  '1e1.5',
  '1_000',
  '٣',
  '1\n',
];
const ordered = [
  '0',
  '-1',
  '1m',
  '2m',
  '0.001',
  '1',
  '1000m',
  '1e0',
  '1024',
  '1Ki',
  '1k',
  '1.5Gi',
  '1536Mi',
  '1610612736',
  '1G',
  '1Gi',
  '7Ei',
  '8E',
];
const added = [
  '0',
  '1',
  '1Ki',
  '1023',
  '1k',
  '500m',
  '1.5Gi',
  '1e3',
  '0.5Mi',
  '1M',
  '1Mi',
  '123456789',
  '1n',
  '1u',
  '999999999n',
  '100Gi',
  '1T',
  '1Ti',
  '1e6',
  '3m',
  '0.1',
  '7Pi',
  '1P',
];

function quantityInputs(): string[] {
  const grid = [...numbers, ...fractions].flatMap((number) => suffixes.map((suffix) => number + suffix));
  return [...new Set([...grid, ...oddities])];
}

export async function recordQuantities(kubernetes: string, send: Send): Promise<QuantityTable> {
  const namespace = `quantities-${Date.now().toString(36)}`;
  await expectOk(send('POST', '/api/v1/namespaces', { metadata: { name: namespace } }));
  try {
    const served: [string, string | null, string | null][] = [];
    for (const text of quantityInputs()) served.push([text, ...(await servedAs(send, namespace, text))]);
    const compared: [string, string, -1 | 0 | 1][] = [];
    for (const [index, a] of ordered.entries()) {
      for (const b of ordered.slice(index + 1)) compared.push([a, b, await comparedQuantities(send, namespace, a, b)]);
    }
    return { kubernetes, served, compared, added: await addedQuantities(send, namespace) };
  } finally {
    await expectOk(send('DELETE', `/api/v1/namespaces/${namespace}`));
  }
}

const limitRange = (item: object) => ({ metadata: { name: 'limits' }, spec: { limits: [{ type: 'Pod', ...item }] } });

/** Extended resources in a LimitRange are the one resource list that takes a quantity of any sign and size. */
async function servedAs(send: Send, namespace: string, text: string): Promise<[string | null, string | null]> {
  const ask = async <T>(resource: string, object: object, read: (answer: T) => string | undefined) => {
    const { status, body } = await send('POST', `/api/v1/namespaces/${namespace}/${resource}?dryRun=All`, object);
    if (status >= 500) throw new Error(`the server failed on ${JSON.stringify(text)}: ${body}`);
    return status < 300 ? (read(JSON.parse(body) as T) ?? null) : null;
  };
  const volumes = [{ name: 'v', emptyDir: { sizeLimit: text } }];
  const template = { spec: { containers: [{ name: 'c', image: 'none' }], volumes } };
  return [
    await ask(
      'podtemplates',
      { metadata: { name: 'template' }, template },
      (answer: { template: typeof template }) => answer.template.spec.volumes[0]?.emptyDir.sizeLimit,
    ),
    await ask(
      'limitranges',
      limitRange({ max: { 'example.com/thing': text } }),
      (answer: { spec: { limits: { max: Record<string, string> }[] } }) =>
        answer.spec.limits[0]?.max['example.com/thing'],
    ),
  ];
}

async function comparedQuantities(send: Send, namespace: string, a: string, b: string): Promise<-1 | 0 | 1> {
  const atMost = async (min: string, max: string) => {
    const path = `/api/v1/namespaces/${namespace}/limitranges?dryRun=All`;
    const item = { min: { 'example.com/thing': min }, max: { 'example.com/thing': max } };
    return (await send('POST', path, limitRange(item))).status < 300;
  };
  const [below, above] = [await atMost(a, b), await atMost(b, a)];
  if (!below && !above) throw new Error(`the server orders ${a} and ${b} neither way`);
  return below && above ? 0 : below ? -1 : 1;
}

async function addedQuantities(send: Send, namespace: string): Promise<[string, string, string][]> {
  const base = `/api/v1/namespaces/${namespace}`;
  const quotas = `${base}/resourcequotas`;
  const hard = { 'requests.memory': '7Ei' };
  await send('POST', `${base}/serviceaccounts`, { metadata: { name: 'default' } });
  await expectOk(send('POST', quotas, { metadata: { name: 'sum' }, spec: { hard } }));
  // The quota controller would do this; without it we say that nothing is used yet.
  const quota = { metadata: { name: 'sum' }, spec: { hard }, status: { hard, used: { 'requests.memory': '0' } } };
  await expectOk(send('PUT', `${quotas}/sum/status`, quota));
  const sums: [string, string, string][] = [];
  let before = '0';
  for (const [index, memory] of added.entries()) {
    const containers = [{ name: 'c', image: 'none', resources: { requests: { memory } } }];
    await expectOk(send('POST', `${base}/pods`, { metadata: { name: `p${index}` }, spec: { containers } }));
    const answer = JSON.parse(await expectOk(send('GET', `${quotas}/sum`))) as {
      status: { used: Record<string, string> };
    };
    const after = answer.status.used['requests.memory'] ?? '';
    sums.push([before, memory, after]);
    before = after;
  }
  return sums;
}

async function expectOk(answer: ReturnType<Send>): Promise<string> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`the API server answered ${status}: ${body}`);
  return body;
}

/** One fact on a line, for readable diffs, and as the formatter of the repository wants it. */
export function writeQuantityTable(table: QuantityTable): string {
  const list = (rows: readonly (readonly unknown[])[]) =>
    rows.map((row) => `    [${row.map((cell) => JSON.stringify(cell)).join(', ')}]`).join(',\n');
  return `{
  "kubernetes": ${JSON.stringify(table.kubernetes)},
  "served": [
${list(table.served)}
  ],
  "compared": [
${list(table.compared)}
  ],
  "added": [
${list(table.added)}
  ]
}
`;
}
