/** What form of answer a caller wants, from its Accept header. */
import { notAcceptable } from './api-error.ts';

export interface Wanted {
  /** Objects as they are, as rows for people, or only their metadata. */
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata';
  readonly version: string;
}

const OBJECT: Wanted = { as: 'object', version: '' };
const ACCEPTED = ['application/json', 'application/json;as=Table;g=meta.k8s.io;v=v1', 'application/json;stream=watch'];

/** The first form in the caller's list that we have. `*` and nothing at all mean JSON. */
export function negotiate(accept: string | undefined): Wanted {
  if (accept === undefined || accept.trim() === '') return OBJECT;
  for (const clause of accept.split(',')) {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
    const as = parameters.get('as');
    if (as === undefined) return OBJECT;
    const version = parameters.get('v') ?? '';
    if (parameters.get('g') !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(version)) continue;
    if (as === 'Table') return { as, version };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
      return { as: 'PartialObjectMetadata', version };
  }
  throw notAcceptable(ACCEPTED);
}
