/** Where the Go modules that the real API server is built from have their `.proto` files. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ProtobufFields, type ProtobufPackage, reduceProtobuf } from './protobuf-fields.ts';
import { groupVersions } from './snapshot-reduce.ts';

const run = promisify(execFile);

/** Needs Go and the modules of `test/control-plane`, which are there where the real API server was built. */
export async function readProtobufFields(goFolder: string, kubernetes: string): Promise<ProtobufFields> {
  const api = await moduleFolder(goFolder, 'k8s.io/api');
  const machinery = await moduleFolder(goFolder, 'k8s.io/apimachinery');
  const kinds: Record<string, ProtobufPackage> = {};
  for (const groupVersion of groupVersions) {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    kinds[groupVersion] = await readPackage(await folderOf(goFolder, api, group, version));
  }
  return reduceProtobuf(kubernetes, kinds, await readPackage(join(machinery, 'pkg/apis/meta/v1')));
}

async function folderOf(goFolder: string, api: string, group: string, version: string): Promise<string> {
  if (group === 'apiextensions.k8s.io') {
    return join(await moduleFolder(goFolder, 'k8s.io/apiextensions-apiserver'), 'pkg/apis/apiextensions', version);
  }
  if (group === 'apiregistration.k8s.io') {
    return join(await moduleFolder(goFolder, 'k8s.io/kube-aggregator'), 'pkg/apis/apiregistration', version);
  }
  return join(api, group === '' ? 'core' : (group.split('.')[0] ?? ''), version);
}

async function readPackage(folder: string): Promise<ProtobufPackage> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.go') && !/_test|generated|zz_/.test(name));
  return {
    proto: await readFile(join(folder, 'generated.proto'), 'utf8'),
    go: await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8'))),
  };
}

async function moduleFolder(goFolder: string, module: string): Promise<string> {
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: goFolder });
  const folder = stdout.trim();
  if (folder === '')
    throw new Error(`the Go module ${module} is not downloaded; run \`go mod download\` in ${goFolder}`);
  return folder;
}
