/**
 * `npm run snapshot` renews the facts that we take from a real kube-apiserver: packages/kube/kinds/openapi-snapshot.json
 * and packages/kube/quantity-table.json, and from the Go modules that it is built from, the fields of protobuf messages.
 * It starts the server for itself; `npm run control-plane` builds it before.
 * Then run `npm run generate`.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startControlPlane } from '../test/control-plane/index.ts';
import { Rest } from '../test/control-plane/rest.ts';
import { writeProtobufFields } from './generate/protobuf-fields.ts';
import { readProtobufFields } from './generate/protobuf-modules.ts';
import { recordQuantities, writeQuantityTable } from './generate/quantity-table.ts';
import { writeSnapshot } from './generate/snapshot-format.ts';
import {
  type DiscoveryDocument,
  groupVersions,
  type OpenApiDocument,
  reduceSnapshot,
} from './generate/snapshot-reduce.ts';

const root = join(import.meta.dirname, '..');
const kube = join(root, 'packages/kube');

await using cluster = await startControlPlane();
const read = async <T>(path: string) => JSON.parse(await cluster.kubectl(['get', '--raw', path])) as T;

const { gitVersion } = await read<{ gitVersion: string }>('/version');
const discovery: DiscoveryDocument[] = [];
const openApi: OpenApiDocument[] = [];
for (const groupVersion of groupVersions) {
  const path = groupVersion === 'v1' ? 'api/v1' : `apis/${groupVersion}`;
  discovery.push(await read(`/${path}`));
  openApi.push(await read(`/openapi/v3/${path}`));
}
const snapshot = reduceSnapshot(gitVersion, discovery, openApi);
await writeFile(join(kube, 'kinds/openapi-snapshot.json'), writeSnapshot(snapshot));

const rest = new Rest(cluster.url, cluster.ca, cluster.adminToken);
const quantities = await recordQuantities(gitVersion, (method, path, body) => rest.send(method, path, body));
await writeFile(join(kube, 'quantity-table.json'), writeQuantityTable(quantities));

const protobuf = await readProtobufFields(join(root, 'test/control-plane/go/kubernetes'), gitVersion);
await writeFile(
  join(root, 'packages/cluster/apiserver/openapi/generated/protobuf-fields.json'),
  writeProtobufFields(protobuf),
);

console.log(
  `${snapshot.kubernetes}: ${snapshot.resources.length} resources, ${Object.keys(snapshot.schemas).length} schemas, ${quantities.served.length} quantities; now run npm run generate`,
);
