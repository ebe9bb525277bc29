import { acceptList } from '../client/call.ts';
import { collectionPath, resourceName } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { chunksOf, inflated } from './chunks.ts';
import type { ListForm } from './list-form.ts';
import { ListSplitter } from './list-splitter.ts';
import type { PageSize } from './page-size.ts';
import type { Source } from './source.ts';
import { turns } from './turns.ts';

/** A list that stalls for this long is lost. The server may take a while to begin, but then it writes without a break. */
const silenceMs = 30_000;

/**
 * Hands every object of the collection to `put`, all of one revision, and returns that revision.
 * Throws `gone` when the revision was compacted before the last page: then start over.
 */
export async function listInto<T extends KubeObject>(
  source: Source<T>,
  form: ListForm,
  pages: PageSize,
  put: (object: T) => void,
  signal: AbortSignal,
): Promise<string> {
  let token: string | undefined;
  for (;;) {
    const page = await readPage(source, form === 'whole' ? undefined : pages, token, put, signal);
    token = page.continue;
    if (!token) return page.resourceVersion ?? '';
  }
}

async function readPage<T extends KubeObject>(
  source: Source<T>,
  pages: PageSize | undefined,
  token: string | undefined,
  put: (object: T) => void,
  signal: AbortSignal,
) {
  const { kind, selection } = source;
  const stream = await source.transport.stream({
    method: 'GET',
    path: collectionPath(kind, selection.namespace),
    query: {
      limit: pages?.limit,
      continue: token,
      labelSelector: selection.labelSelector,
      fieldSelector: selection.fieldSelector,
    },
    headers: { ...acceptList(source.metadataOnly), ...(source.compression ? { 'accept-encoding': 'gzip' } : {}) },
    signal,
    // The reflector waits and tries again by itself, so that its state tells the truth meanwhile.
    retry: false,
    operation: { verb: 'list', resource: resourceName(kind) },
  });
  try {
    await source.judge(stream, 'list');
    const splitter = new ListSplitter();
    let bytes = 0;
    let objects = 0;
    const take = async () => {
      for (let span = splitter.next(); span; span = splitter.next()) {
        put(source.decode(splitter.bytes, span));
        objects++;
        if (turns.spent) await turns.next();
        signal.throwIfAborted();
      }
    };
    for await (const chunk of inflated(stream, chunksOf(stream, silenceMs, source.clock))) {
      bytes += chunk.length;
      splitter.push(chunk);
      await take();
    }
    splitter.flush();
    await take();
    const meta = splitter.finish();
    pages?.saw(bytes, objects);
    return meta;
  } finally {
    stream.close();
  }
}
