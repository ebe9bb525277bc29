/** Which names a CRD gets, and whether it is served: first come, first served, within its group. */
import type { Crd, CrdCondition, CrdNames } from './model.ts';

export interface CrdDecision {
  /** Without times: who writes them knows when they changed. */
  readonly conditions: readonly CrdCondition[];
  readonly acceptedNames: CrdNames;
}

/** `others` are the CRDs of the same group that were there before; only names they were given count. */
export function crdConditions(crd: Crd, others: readonly Crd[]): CrdDecision {
  const rivals = others.filter(
    ({ spec, metadata }) => spec.group === crd.spec.group && metadata.name !== crd.metadata.name,
  );
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of rivals) {
    const names = status?.acceptedNames;
    if (!names) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  const wanted = crd.spec.names;
  const before = crd.status?.acceptedNames;
  const conflicts: { reason: string; message: string }[] = [];
  const take = (taken: ReadonlySet<string>, name: string | undefined, had: string | undefined, reason: string) => {
    if (name === undefined || name === had || !taken.has(name)) return name;
    conflicts.push({ reason, message: `"${name}" is already in use` });
    return had;
  };
  const plural = take(resources, wanted.plural, before?.plural, 'PluralConflict') ?? '';
  const singular = take(resources, wanted.singular, before?.singular, 'SingularConflict');
  const clashing = (wanted.shortNames ?? []).filter(
    (name) => resources.has(name) && !before?.shortNames?.includes(name),
  );
  if (clashing.length > 0) {
    const texts = clashing.map((name) => `"${name}" is already in use`);
    conflicts.push({
      reason: 'ShortNamesConflict',
      message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
    });
  }
  const shortNames = clashing.length > 0 ? before?.shortNames : wanted.shortNames;
  const kind = take(kinds, wanted.kind, before?.kind, 'KindConflict') ?? '';
  const listKind = take(kinds, wanted.listKind, before?.listKind, 'ListKindConflict');
  const last = conflicts.at(-1);
  const wasEstablished = crd.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  return {
    acceptedNames: {
      plural,
      ...(singular !== undefined && { singular }),
      ...(shortNames && { shortNames }),
      kind,
      ...(listKind !== undefined && { listKind }),
      ...(wanted.categories && { categories: wanted.categories }),
    },
    conditions: [
      last
        ? { type: 'NamesAccepted', status: 'False', ...last }
        : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      last && !wasEstablished
        ? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
        : {
            type: 'Established',
            status: 'True',
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          },
    ],
  };
}
